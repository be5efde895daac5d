import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testProblem } from '../../src/testing/support/documented-tests.ts';
import { checkout } from '../../src/testing/support/markdown-samples.ts';

const page = readFileSync(join(checkout, 'docs/reference/mcp-features.md'), 'utf8');
const columns = ['feature', 'suite', 'workflow', 'proxy', 'check'];

/** Cells of the table by feature and column, without its head. */
function cellsOf(markdown: string): { readonly place: string; readonly text: string }[] {
  const rows = markdown.split('\n').filter((line) => /^\|(?! -)/.test(line));
  return rows.slice(1).flatMap((row) => {
    const [feature = '', ...cells] = row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return cells.map((text, index) => ({ place: `${feature}, ${columns[index + 1] ?? index}`, text }));
  });
}

/** A cell names its tests by numbers of the list below the table, or says why there is nothing to do (`–`). */
function problemOf(
  { place, text }: { readonly place: string; readonly text: string },
  tests: ReadonlyMap<string, string>,
) {
  if (/^– .{10,}/.test(text)) return [];
  const numbers = [...text.matchAll(/\[(\d+)\]/g)].map(([, number = '']) => number);
  if (numbers.length === 0) return [`${place}: it names no test and no reason`];
  return numbers.flatMap((number) => {
    const id = tests.get(number);
    const problem = id === undefined ? `there is no test ${number}` : testProblem(id);
    return problem === undefined ? [] : [`${place}: ${problem}`];
  });
}

describe('the table of MCP features', () => {
  const tests = new Map(
    [...page.matchAll(/^(\d+)\. `([^`]+)`$/gm)].map(([, number = '', id = '']) => [number, id] as const),
  );
  const cells = cellsOf(page);

  it('has a test in each cell, or the reason why there is none', () => {
    expect(cells.length).toBeGreaterThan(60);
    expect(cells.flatMap((cell) => problemOf(cell, tests))).toEqual([]);
  });

  it('has four cells for each feature, and uses every test that it lists', () => {
    expect(cells.length % 4).toBe(0);
    const used = new Set(cells.flatMap(({ text }) => [...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => number)));
    expect([...tests.keys()].filter((number) => !used.has(number))).toEqual([]);
  });

  it('is found wrong where a test does not exist', () => {
    expect(problemOf({ place: 'x', text: '[1]' }, new Map([['1', 'test/none.test.ts']]))).not.toEqual([]);
    expect(problemOf({ place: 'x', text: '' }, tests)).not.toEqual([]);
    expect(problemOf({ place: 'x', text: '[999]' }, tests)).not.toEqual([]);
  });
});
