import { describe, expect, it } from 'vitest';
import { judgeInputSchema, judgeOutputSchema, readActualResult } from './judge-protocol.ts';

const minimal = { testScenario: { name: 'x' }, actualResult: null };

describe('judgeInputSchema', () => {
  it('fills in absent lists', () => {
    expect(judgeInputSchema.parse(minimal)).toEqual({
      testScenario: { name: 'x', input: {} },
      actualResult: null,
      passCriteria: [],
      failCriteria: [],
    });
  });

  it.each([
    ['a missing result', { testScenario: { name: 'x' } }, 'actualResult'],
    ['a name that is not a text', { ...minimal, testScenario: { name: 1 } }, 'name'],
    ['criteria that are no list', { ...minimal, passCriteria: 'result.a' }, 'passCriteria'],
    ['a criterion that is not a text', { ...minimal, failCriteria: [true] }, 'failCriteria'],
  ])('refuses %s', (_name, input, where) => {
    const { success, error } = judgeInputSchema.safeParse(input);
    expect(success).toBe(false);
    expect(error?.issues.flatMap(({ path }) => path)).toContain(where);
  });
});

describe('judgeOutputSchema', () => {
  it('refuses a verdict it does not know', () => {
    expect(judgeOutputSchema.safeParse({ testName: 'x', verdict: 'MAYBE' }).success).toBe(false);
  });
});

describe('readActualResult', () => {
  const error = { message: 'not found', code: 404 };

  it.each([
    ['an object', { a: 1 }, { result: { a: 1 } }],
    ['an array', [1], { result: [1] }],
    ['a scalar', 5, { result: 5 }],
    ['null', null, { result: null }],
    ['plain text', 'All done', { result: 'All done' }],
    ['error text', 'Error: Column "x" not found', { error: { name: 'Error', message: 'Column "x" not found' } }],
    ['an error alone', { error }, { error }],
    ['an error among other fields', { error, rows: 0 }, { result: { error, rows: 0 }, error }],
    ['an error without a message', { error: 'boom' }, { result: { error: 'boom' } }],
    ['no error', { error: null, rows: 1 }, { result: { error: null, rows: 1 } }],
  ])('reads %s', (_name, actualResult, expected) => {
    expect(readActualResult(actualResult)).toEqual(expected);
  });
});
