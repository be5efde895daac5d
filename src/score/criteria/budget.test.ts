import { describe, expect, it } from 'vitest';
import { compileCriterion, compileExpression } from './criterion.ts';

function defectOf(source: string, result: unknown = {}): string {
  const answer = compileCriterion(source).answer({ result });
  return answer.state === 'unusable' ? answer.defect.message : answer.state;
}

function refusalOf(source: string): string {
  try {
    compileCriterion(source);
    return 'compiled';
  } catch (error) {
    return error instanceof Error ? (error.message.split(' at column')[0] ?? '') : 'not an error';
  }
}

const ten = '[1,2,3,4,5,6,7,8,9,10]';
const hundredItems = Array.from({ length: 100 }, (_, index) => index);
const hundredThousandItems = Array.from({ length: 100_000 }, (_, index) => index);

describe('the size budget', () => {
  it.each([
    "'x'.repeat(1e9) === ''",
    "'x'.padStart(1e9) === ''",
    "'x'.padEnd(1e9, 'ab') === ''",
    `${ten}.reduce(text => text + text + text + text + text, 'ten letters').length > 0`,
    `${ten}.reduce(text => \`\${text}\${text}\${text}\${text}\${text}\`, 'ten letters').length > 0`,
    `${ten}.reduce(text => text.concat(text, text, text, text), 'ten letters').length > 0`,
    `${ten}.reduce(items => [...items, ...items, ...items, ...items, ...items], [1, 2]).length > 0`,
    `${ten}.reduce(items => items.concat(items, items, items, items), [1, 2]).length > 0`,
    `${ten}.reduce(text => text.replaceAll('x', 'xxxxx'), 'x').length > 0`,
    `${ten}.reduce(text => text.replace(/x/g, '$&$&$&$&$&'), 'x').length > 0`,
    "'x'.repeat(2000).replaceAll('x', \"$'$`\").length > 0",
    "[1, 2].map(() => 'x'.repeat(400000)).join('y'.repeat(400000)).length > 0",
    "JSON.stringify([1, 2].map(() => 'x'.repeat(400000))).length > 0",
    "'x'.repeat(900000).toUpperCase().length > 0",
  ])('stops %s', (source) => {
    expect(defectOf(source)).toMatch(/^it (makes too much text or too many items|needs too many steps to evaluate)$/);
  });

  it('stops nested flatMap before it fills the memory', () => {
    const source = 'result.flatMap(() => result.flatMap(() => result.flatMap(() => result))).length > 0';
    expect(defectOf(source, hundredItems)).toMatch(/too many/);
  });

  it('lets ordinary text building through', () => {
    const source = "result.reduce((text, n) => text + n + ',', '').length > 0";
    expect(defectOf(source, hundredThousandItems.slice(0, 5_000))).toBe('met');
  });
});

describe('the step budget', () => {
  const tooLong = 'it needs too many steps to evaluate';

  it.each([
    ['nested loops', 'result.every(a => result.every(b => result.every(c => a + b + c >= 0)))', hundredItems],
    ['a loop over too many items', 'result.every(n => n >= 0)', hundredThousandItems],
    ['a search in a loop', 'result.every(() => result.includes(-1) === false)', hundredThousandItems],
    ['sorting too many items', 'result.toSorted().length > 0', hundredThousandItems],
    ['joining in a loop', "result.every(() => result.join('').length > 0)", hundredItems.concat(hundredThousandItems)],
    ['writing shared structure', `JSON.stringify(${ten}.reduce(a => [a, a, a, a, a], [1])).length > 0`, {}],
    ['converting shared structure', `String(${ten}.reduce(a => [a, a, a, a, a], [])).length > 0`, {}],
    ['flattening shared structure', `${ten}.reduce(a => [a, a, a, a, a], []).flat(Infinity).length === 0`, {}],
    ['a regular expression over huge text', '/(a|b|ab)*c/.test(result)', 'ab'.repeat(2_000_000)],
    [
      'a regular expression that scans again and again',
      "result.replace(/(?:x.*y)|x/g, '').length === 0",
      'x'.repeat(20_000),
    ],
  ])('stops %s', (_name, source, result) => {
    expect(defectOf(source, result)).toBe(tooLong);
  });

  it('is counted afresh for every evaluation', () => {
    const criterion = compileCriterion('result.every(n => n >= 0)');
    const result = hundredThousandItems.slice(0, 15_000);
    expect([1, 2, 3].map(() => criterion.test({ result }))).toEqual([true, true, true]);
  });

  it('finds a long text in a longer one in linear work', () => {
    const needle = `${'ab'.repeat(10_000)}b${'ab'.repeat(10_000)}`;
    expect(compileCriterion('result.includes(expected)').test({ result: 'ab'.repeat(200_000), expected: needle })).toBe(
      false,
    );
    expect(compileCriterion('result.includes(expected)').test({ result: `xx${needle}xx`, expected: needle })).toBe(
      true,
    );
    expect(
      compileExpression('result.indexOf(expected)').evaluate({
        result: `${'ab'.repeat(99_999)}${needle}`,
        expected: needle,
      }),
    ).toBe(199_998);
  });

  it('can be set for one criterion', () => {
    const limits = { maxSteps: 10, maxSize: 10 };
    expect(compileCriterion('result.every(n => n > 0)', limits).answer({ result: [1, 2, 3, 4, 5] }).state).toBe(
      'unusable',
    );
    expect(() => compileExpression("'x'.repeat(11)", limits).evaluate({})).toThrow(/too much text/);
  });
});

describe('the depth limits', () => {
  const tooDeep = 'the expression is nested too deeply';

  it.each([
    ['parentheses', '('.repeat(9_990)],
    ['closed parentheses', `${'('.repeat(4_900)}true${')'.repeat(4_900)}`],
    ['negations', `${'!'.repeat(9_990)}true`],
    ['properties', `result${'.a'.repeat(4_990)}`],
    ['indexes', `${'result['.repeat(1_200)}0${']'.repeat(1_200)}`],
    ['sums', `${'1+'.repeat(4_990)}1`],
    ['conditions', `${'true?'.repeat(1_400)}1${':1'.repeat(1_400)}`],
    ['method calls', `result${".includes('x')".repeat(700)}`],
    ['arrays', `${'['.repeat(4_900)}${']'.repeat(4_900)}`],
    ['callbacks', `${'[1].every(a=>'.repeat(500)}true${')'.repeat(500)}`],
  ])('refuse too many nested %s', (_name, source) => {
    expect(refusalOf(source)).toBe(tooDeep);
  });

  it('let long flat chains through', () => {
    const source = `${'result.ok===true&&'.repeat(500)}true`;
    expect(compileCriterion(source).test({ result: { ok: true } })).toBe(true);
  });

  it('refuse source that is too long', () => {
    expect(refusalOf(`${'result.ok === true && '.repeat(500)}true`)).toBe(
      'the criterion is longer than 10000 characters',
    );
  });

  it('keep deeply nested data from overflowing the stack', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    for (const source of [
      "String(result) === ''",
      "JSON.stringify(result) === ''",
      'result.flat(Infinity).length === 0',
      "result == ''",
    ]) {
      expect(defectOf(source, deep)).toBe('it handles data that is nested too deeply');
    }
  });

  it('refuse regular expressions that would compile to something huge', () => {
    expect(refusalOf(`/(?:${'a{99}'.repeat(10)}){9}/.test('')`)).toBe('the regular expression is too large');
  });
});
