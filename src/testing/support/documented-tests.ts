import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from './markdown-samples.ts';

/** Titles of the tests and groups of tests in a file, as they are written there. */
function titlesIn(source: string): string[] {
  const calls = /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;
  return [...source.matchAll(calls)].map(([, , title = '']) => title.replace(/\\(.)/g, '$1'));
}

/** Whether a title is this one, or a template (`%s`, `$name`, `${value}`) that makes it. */
function makes(title: string, wanted: string): boolean {
  if (title === wanted) return true;
  const texts = title.split(/%[a-z#]|\$\{[^}]*\}|\$[a-z][\w.]*/i);
  if (texts.length === 1 || texts.join('').trim() === '') return false;
  return new RegExp(`^${texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.+')}$`).test(wanted);
}

/** Why a page names a test that does not exist: `file` or `file > title`; undefined where it does. */
export function testProblem(id: string): string | undefined {
  const [file = '', title] = id.split(' > ');
  if (!/^(src|test|web|examples)\/\S+\.test\.tsx?$/.test(file)) return `${id} is not a test`;
  if (!existsSync(join(checkout, file))) return `${file} does not exist`;
  if (title === undefined) return undefined;
  const titles = titlesIn(readFileSync(join(checkout, file), 'utf8'));
  return titles.some((each) => makes(each, title)) ? undefined : `${file} has no test "${title}"`;
}
