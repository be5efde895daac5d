import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout } from '../../src/testing/support/markdown-samples.ts';
import { sabotages } from '../sabotage/sabotages.mjs';

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
const numbers = promises.map(([number = '']) => number);
/** The promises that the rows of a table are about; a row may be about several. */
const about = (rows: readonly string[][]): string[] => rows.flatMap(([cell = '']) => cell.split(', '));
const controls = rowsOf('control of');

describe('the page of promises', () => {
  it.each(promises.map(([number = '', promise = '', , tests = '']) => ({ number, promise, tests })))(
    '$number, $promise, names a test',
    ({ tests }) => {
      expect(codeIn(tests).filter(isPath)).not.toEqual([]);
    },
  );

  it('has a figure and a control for every promise', () => {
    expect(promises).toHaveLength(14);
    expect(numbers.filter((number) => !about(rowsOf('figure of')).includes(number))).toEqual([]);
    expect(numbers.filter((number) => !about(controls).includes(number))).toEqual([]);
  });

  it.each(controls.map(([number, name = '']) => ({ number, name })))(
    'names a control of $number that takes a mechanism out: $name',
    ({ name }) => {
      const control = sabotages.find((sabotage) => sabotage.name === name);
      expect(control?.tests[0], 'test/sabotage/sabotages.mjs').toMatch(/^(?:src|test)\//);
      expect(existsSync(join(checkout, control?.tests[0] ?? ''))).toBe(true);
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
