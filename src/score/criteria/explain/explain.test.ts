import { describe, expect, it } from 'vitest';
import { compileCriterion } from '../criterion.ts';
import type { CriterionRole } from '../scope.ts';

function explain(role: CriterionRole, source: string, result: unknown, others: object = {}): string {
  const answer = compileCriterion(source).answer({ result, ...others });
  return answer.state === 'unusable' ? `unusable: ${answer.defect.message}` : answer.explanation(role);
}

const tenItems = Array.from({ length: 10 }, (_, row) => ({ row, old: 'Medium', new: 'High' }));
const dryRun = {
  dryRun: true,
  affectedRows: 13,
  preview: tenItems,
  message: 'DRY RUN: Would update 10 cells',
  none: null,
};

describe('explanations of pass criteria', () => {
  it.each([
    ['result.dryRun === true', 'result.dryRun is true, criterion met'],
    ['result.committed === undefined', 'result.committed is undefined, criterion met'],
    ['result.affectedRows > 0', 'result.affectedRows is 13, which is > 0'],
    ['result.preview !== undefined', 'result.preview is an array, not undefined'],
    ['result.preview.length > 0', 'result.preview has 10 items, which is > 0'],
    ["result.message.includes('DRY RUN')", "result.message contains 'DRY RUN'"],
  ])('follow the protocol word for word: %s', (source, expected) => {
    expect(explain('pass', source, dryRun)).toBe(expected);
  });

  it.each([
    ['result.n > 0', { n: 0 }, 'result.n is 0, which is not > 0'],
    ['0 < result.n', { n: 0 }, 'result.n is 0, which is not > 0'],
    ['result.n >= result.m', { n: 1, m: 2 }, 'result.n is 1, which is not >= result.m (2)'],
    ['result.n === result.m', { n: 2, m: 2 }, 'result.n is 2, the same as result.m'],
    ['result.n > -1', { n: -2 }, 'result.n is -2, which is not > -1'],
    ['result.ok === true', { ok: false }, 'result.ok is false, not true'],
    ['result.ok !== null', { ok: null }, 'result.ok is null, criterion not met'],
    ['result.ok', { ok: false }, 'result.ok is false, criterion not met'],
    ['!result.ok', {}, 'result.ok is undefined, criterion met'],
    ['result === undefined', undefined, 'result is undefined, criterion met'],
    ["result.s.includes('DRY RUN')", { s: 'Done' }, "result.s is 'Done', which does not contain 'DRY RUN'"],
    ["result.s.startsWith('E')", { s: 'Done' }, "result.s is 'Done', which does not start with 'E'"],
    ["result.s.endsWith('e')", { s: 'Done' }, "result.s ends with 'e'"],
    [
      "result.s.includes('x')",
      { s: `${'a'.repeat(60)}b` },
      `result.s is '${'a'.repeat(59)}…', which does not contain 'x'`,
    ],
    ["result.s === 'a'", { s: 'line\nbreak' }, "result.s is 'line\\nbreak', not 'a'"],
    [
      'result.s === result.t',
      { s: `${'same '.repeat(20)}one`, t: `${'same '.repeat(20)}two` },
      "result.s is '…same same same same one', not result.t ('…same same same same two')",
    ],
    ['/^d/i.test(result.s)', { s: 'Done' }, 'result.s matches /^d/i'],
    ['/^x/.test(result.s)', { s: 'Done' }, "result.s is 'Done', which does not match /^x/"],
    ["result.tags.includes('x')", { tags: ['a'] }, "result.tags has 1 item and does not contain 'x'"],
    ['result.tags.length === 2', { tags: ['a'] }, 'result.tags has 1 item, not 2'],
    ['result.tags.length > 0', { tags: [] }, 'result.tags has 0 items, which is not > 0'],
    ['result.s.length === 4', { s: 'Done' }, 'result.s has 4 characters, criterion met'],
    ['result.s?.length === 4', { s: 'Done' }, 'result.s has 4 characters, criterion met'],
    ["typeof result.n === 'number'", { n: 1 }, 'result.n is a number, criterion met'],
    ["typeof result.n === 'object'", { n: 'x' }, 'result.n is a string, not an object'],
    ['Array.isArray(result.n)', { n: [1] }, 'result.n is an array, criterion met'],
    ['Array.isArray(result.n)', { n: 'x' }, "result.n is 'x', not an array"],
    ['Number.isInteger(result.n)', { n: 1.5 }, 'result.n is 1.5, not an integer'],
    ["'key' in result", {}, "result does not have 'key'"],
    ["Object.hasOwn(result, 'key')", { key: 1 }, "result has 'key'"],
    [
      'result.n > 0 ? result.ok : false',
      { n: 1, ok: true },
      'result.n is 1, which is > 0, so result.ok is true, criterion met',
    ],
    ['Boolean(result.n)', { n: 0 }, 'result.n is 0, criterion not met'],
    ["(result.a ?? 'x') === 'x'", {}, "result.a ?? 'x' is 'x', criterion met"],
    ['result.a ?? false', {}, '`result.a ?? false` is false, where result.a is undefined'],
    ['isNaN(result.a)', { a: 'x' }, "`isNaN(result.a)` is true, where result.a is 'x'"],
    ['true', {}, '`true` is true'],
  ])('say what %s found in %j', (source, result, expected) => {
    expect(explain('pass', source, result)).toBe(expected);
  });
});

describe('explanations of fail criteria', () => {
  it.each([
    ['result.committed === true', 'result.committed is undefined, not true (good)'],
    ['result.newStorageId !== undefined', 'result.newStorageId is undefined (good)'],
    ['result.preview === undefined', 'result.preview is defined (good)'],
    ['result.dryRun === true', 'result.dryRun is true (bad)'],
    ['result.preview !== undefined', 'result.preview is an array, not undefined (bad)'],
    ['result.affectedRows > 100', 'result.affectedRows is 13, which is not > 100 (good)'],
    ['result.gone.deep === 1', 'result.gone is undefined, so result.gone.deep cannot be read (good)'],
  ])('say whether what they found is good: %s', (source, expected) => {
    expect(explain('fail', source, dryRun)).toBe(expected);
  });
});

describe('explanations of combined criteria', () => {
  it.each([
    ['result.a === true && result.b === undefined', 'result.a is true, and result.b is true, not undefined'],
    ['result.b === 1 && result.a === true', 'result.b is true, not 1'],
    ['result.a === true && result.b === true', 'result.a is true, and result.b is true, criterion met'],
    ['result.a === 1 || result.b === true', 'result.b is true, criterion met'],
    ['result.a === 1 || result.b === 2', 'result.a is true, not 1, and result.b is true, not 2'],
    ['result.a && result.b && result.a && result.b === 1', 'result.b is true, not 1'],
    ['!(result.a && result.c)', 'result.a is true, and result.c is undefined, criterion met'],
  ])('show the parts that decided: %s', (source, expected) => {
    expect(explain('pass', source, { a: true, b: true })).toBe(expected);
  });
});

describe('explanations of array predicates', () => {
  const rows = (...values: number[]): object => ({ p: values.map((row) => ({ row })) });

  it.each([
    ['result.p.every(p => p.row >= 0)', rows(1, -4, 2), '1 of 3 items fails p.row >= 0: in item 1, p.row is -4'],
    ['result.p.every(p => p.row >= 0)', rows(-1, -4, 2), '2 of 3 items fail p.row >= 0: in item 0, p.row is -1'],
    ['result.p.every(p => p.row >= 0)', rows(1, 2), 'all 2 items pass p.row >= 0'],
    ['result.p.every(p => p.row >= 0)', rows(1), 'the only item passes p.row >= 0'],
    ['result.p.every(p => p.row >= 0)', rows(), 'result.p has no items to ask p.row >= 0'],
    ['result.p.some(p => p.row > 1)', rows(1, 2), '1 of 2 items passes p.row > 1: in item 1, p.row is 2'],
    ['result.p.some(p => p.row > 5)', rows(1, 2), 'none of 2 items passes p.row > 5'],
    [
      'result.p.every(({ row }) => row > 1 && row < 3)',
      rows(2, 5),
      '1 of 2 items fails row > 1 && row < 3: in item 1, row is 5, which is > 1, and row is 5, which is not < 3',
    ],
    ['result.p.every(Array.isArray)', rows(2), '1 of 1 item fails Array.isArray'],
    ['result.p.every(p => p.row.deep > 0)', { p: [{}] }, 'p.row is undefined, so p.row.deep cannot be read'],
  ])('count the items: %s', (source, result, expected) => {
    expect(explain('pass', source, result)).toBe(expected);
  });
});

describe('explanations of what is missing', () => {
  it.each([
    ['result.preview.length > 0', {}, 'result.preview is undefined, so result.preview.length cannot be read'],
    ['result.affectedRows > 0', undefined, 'result is undefined, so result.affectedRows cannot be read'],
    ["result.s.includes('x')", { s: null }, "result.s is null, so result.s.includes('x') cannot be called"],
    [
      'result.items[3].name === 1',
      { items: [] },
      'result.items[3] is undefined, so result.items[3].name cannot be read',
    ],
    ["result.n.includes('x')", { n: 5 }, 'result.n is 5, a number, which has no method includes'],
    ['result.o.every(x => x)', { o: {} }, 'result.o is an object, which has no method every'],
    ["'x' in result.s", { s: 'text' }, "result.s is 'text', so nothing can be in it"],
    ['JSON.parse(result.s).ok', { s: '{' }, 'JSON.parse(result.s) has no value: the text is not valid JSON'],
    ['result.p.every(({ a }) => a)', { p: [null] }, 'an item is null, so { a } cannot be read from it'],
  ])('name the part: %s', (source, result, expected) => {
    expect(explain('pass', source, result)).toBe(expected);
  });
});

describe('any explanation', () => {
  it('stays short and keeps its ending', () => {
    const source = Array.from({ length: 20 }, (_, index) => `result.field${index} === '${'x'.repeat(50)}'`).join(
      ' || ',
    );
    const explanation = explain('fail', source, {});
    expect(explanation).toHaveLength(500);
    expect(explanation.endsWith('… (good)')).toBe(true);
  });

  it('is still given when explaining would need more than the budget', () => {
    const result = Array.from({ length: 60_000 }, () => 1);
    expect(explain('pass', 'result.some(n => n === 1)', result)).toBe('`result.some(n => n === 1)` is true');
  });
});
