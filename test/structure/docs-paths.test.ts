import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout } from '../../src/testing/support/markdown-samples.ts';

const rootPages = readdirSync(checkout).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md');
const docs = readdirSync(join(checkout, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !name.includes('.vitepress'))
  .map((name) => join('docs', name));
const ownPaths = /(?<![\w./-])(?:src|web|test|scripts|bench|deploy|examples)(?:\/[\w.@*{},-]+)+/g;

/** Paths of the checkout that a page names in backticks or as the target of a link. */
function namedPaths(markdown: string): string[] {
  const prose = markdown.replace(/^\s*```[\s\S]*?^\s*```/gm, '');
  const named = [...prose.matchAll(/`([^`\n]+)`|\]\(([^)\s]+)\)/g)].map(([, code = '', link = '']) => code || link);
  const paths = named.flatMap((text) => [...text.replace(/^(\.\.\/)+/, '').matchAll(ownPaths)].map(([path]) => path));
  return paths.map((path) => path.replace(/[.,]$/, '')).filter((path) => !/[*{]/.test(path));
}

describe('paths of the checkout that are named in', () => {
  it.each([...rootPages, ...docs])('%s exist', (page) => {
    const missing = namedPaths(readFileSync(join(checkout, page), 'utf8')).filter(
      (path) => !existsSync(join(checkout, path)),
    );
    expect(missing).toEqual([]);
  });

  it('are found at all', () => {
    const paths = namedPaths(readFileSync(join(checkout, 'docs/explanation/a-trial.md'), 'utf8'));
    expect(paths.length).toBeGreaterThan(30);
    expect(namedPaths('see `src/nowhere.ts` and [it](../../src/gone)')).toEqual(['src/nowhere.ts', 'src/gone']);
  });
});

describe('the map of the documentation', () => {
  it('names every page', () => {
    const map = readFileSync(join(checkout, 'docs/README.md'), 'utf8');
    const pages = docs.map((page) => page.slice('docs/'.length)).filter((page) => page !== 'README.md');
    const unlisted = pages.filter((page) => !/^explanation\/decisions\//.test(page) && !map.includes(`](${page})`));
    expect(unlisted).toEqual([]);
  });
});
