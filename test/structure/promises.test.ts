import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout } from '../../src/testing/support/markdown-samples.ts';

const page = readFileSync(join(checkout, 'docs/explanation/promises.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { scripts: object };

/** The cells of the rows of a table, found by the first word of its head. */
function rowsOf(head: string): string[][] {
  const lines = page.slice(page.indexOf(`| ${head} |`)).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(2, end).map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
}

const codeIn = (cell: string): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code);
const isPath = (code: string): boolean => /^(?:src|test)\//.test(code);

const promises = rowsOf('#');

describe('the page of promises', () => {
  it.each(promises.map(([number = '', promise = '', , controls = '']) => ({ number, promise, controls })))(
    '$number, $promise, has a control',
    ({ controls }) => {
      expect(codeIn(controls).filter(isPath)).not.toEqual([]);
    },
  );

  it('names tests and commands that are there', () => {
    const named = codeIn(page).flatMap((code) => code.split(' ').filter(isPath));
    expect(named.length).toBeGreaterThan(promises.length);
    expect(named.filter((path) => !existsSync(join(checkout, path)))).toEqual([]);
    const commands = codeIn(page).flatMap((code) => /^npm run (\S+)/.exec(code)?.[1] ?? []);
    expect(commands.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});
