import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testProblem } from '../../src/testing/support/documented-tests.ts';
import { checkout } from '../../src/testing/support/markdown-samples.ts';

const page = readFileSync(join(checkout, 'docs/coming-from.md'), 'utf8');
const earlierSystems = ['llm-tool-test', 'MCPVals', 'EvalStudio', 'the boolean judge protocol'];

interface Row {
  readonly section: string;
  readonly feature: string;
  readonly place: string;
  readonly tests: string;
  readonly columns: number;
}

/** Rows of all tables, without their heads. */
function rowsOf(markdown: string): Row[] {
  return markdown.split(/^## /m).flatMap((part) => {
    const [section = '', ...lines] = part.split('\n');
    const rows = lines.filter((line) => /^\|(?! -)/.test(line) && !/^\| feature /.test(line));
    return rows.map((line) => {
      const cells = line.split(/(?<!\\)\|/).slice(1, -1);
      const [feature = '', place = '', tests = ''] = cells.map((cell) => cell.trim());
      return { section, feature, place, tests, columns: cells.length };
    });
  });
}

function problemsOf({ section, feature, place, tests, columns }: Row): string[] {
  if (columns !== 3) return [`${section}: "${feature}" has ${columns} columns instead of 3`];
  const ids = [...tests.matchAll(/`([^`]+)`/g)].map(([, id = '']) => id);
  const problems = ids.flatMap((id) => testProblem(id) ?? []);
  if (ids.length === 0) problems.push('it names no test');
  if (new Set(ids).size < ids.length) problems.push('it names a test twice');
  if (!/`|\]\(/.test(feature + place)) problems.push('it names no key, command or page');
  return problems.map((problem) => `${section}: "${feature}": ${problem}`);
}

const rows = rowsOf(page);

describe('the features of other systems', () => {
  it.each(earlierSystems)('of %s have a section', (system) => {
    expect(rows.filter(({ section }) => section === `From ${system}`)).not.toEqual([]);
  });

  it('each have a place and a test that exists', () => {
    expect(rows.flatMap(problemsOf)).toEqual([]);
  });

  it('are each listed once in their section', () => {
    const names = rows.map(({ section, feature }) => `${section}: ${feature}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('the check of a row', () => {
  const problems = (tests: string, place = '`a`') =>
    problemsOf({ section: 's', feature: 'f', place, tests, columns: 3 }).join();

  it.each([
    ['', 'names no test'],
    ['`test/structure/gone.test.ts`', 'does not exist'],
    ['`test/structure/words.test.ts`, `test/structure/words.test.ts`', 'names a test twice'],
    ['`test/structure/coming-from.ts`', 'is not a test'],
    ['`test/structure/coming-from.test.ts > has nothing`', 'has no test "has nothing"'],
  ])('finds %j', (tests, problem) => {
    expect(problems(tests)).toContain(problem);
  });

  it('finds titles of tests and of templates', () => {
    const file = 'test/structure/coming-from.test.ts';
    expect(problems(`\`${file}\`, \`${file} > the check of a row\``)).toBe('');
    expect(problems(`\`${file} > of EvalStudio have a section\`, \`${file} > of %s have a section\``)).toBe('');
    expect(problems(`\`${file}\``, 'somewhere')).toContain('names no key');
    expect(rowsOf('## From x\n| feature | a |\n| --- | --- |\n| b \\| c | d | e |')).toMatchObject([{ columns: 3 }]);
  });
});
