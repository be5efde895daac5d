import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareOrder, countInAnyOrder, countInBothOrders, toolOrders } from './tool-order.ts';

type Order = Parameters<typeof compareOrder>[0]['order'];

const compare = (calls: readonly string[], expected: readonly string[], order: Order) =>
  compareOrder({ calls, expected, order, isCallOf: (call, tool) => tool === '*' || call === tool });

const tool = fc.constantFrom('a', 'b', 'c');
const tools = fc.array(tool, { maxLength: 6 });
const assertAlways = <Values extends unknown[]>(property: fc.IProperty<Values>) =>
  fc.assert(property, { seed: 42, numRuns: 500 });

describe('the order of calls', () => {
  it.each([
    ['exact', ['a', 'b'], { matchCount: 2, isMet: true, isBroken: false }],
    ['exact', ['a', 'b', 'c'], { matchCount: 2, isMet: false, isBroken: true }],
    ['exact', ['a'], { matchCount: 1, isMet: false, isBroken: false }],
    ['prefix', ['a', 'b', 'c'], { matchCount: 2, isMet: true, isBroken: false }],
    ['prefix', ['c', 'a', 'b'], { matchCount: 0, isMet: false, isBroken: true }],
    ['prefix', ['a', 'c', 'b'], { matchCount: 1, isMet: false, isBroken: true }],
    ['subsequence', ['c', 'a', 'c', 'b'], { matchCount: 2, isMet: true, isBroken: false }],
    ['subsequence', ['b', 'a'], { matchCount: 1, isMet: false, isBroken: false }],
    ['any', ['b', 'c', 'a'], { matchCount: 2, isMet: true, isBroken: false }],
    ['any', ['b', 'b'], { matchCount: 1, isMet: false, isBroken: false }],
    ['subset', [], { matchCount: 0, isMet: true, isBroken: false }],
    ['subset', ['b'], { matchCount: 1, isMet: true, isBroken: false }],
    ['subset', ['b', 'a'], { matchCount: 2, isMet: true, isBroken: false }],
    ['subset', ['b', 'b'], { matchCount: 1, isMet: false, isBroken: true }],
    ['subset', ['a', 'c'], { matchCount: 1, isMet: false, isBroken: true }],
  ] as const)('%s of a, b: %j', (order, calls, finding) => {
    expect(compare(calls, ['a', 'b'], order)).toEqual(finding);
  });

  it('gives each name its own call, also where a name means many tools', () => {
    expect(compare(['a', 'b'], ['*', 'a'], 'any').isMet).toBe(true);
    expect(compare(['a'], ['*', 'a'], 'any').isMet).toBe(false);
  });

  it('is met by whatever a stricter rule is met by', () => {
    const fromStrict = ['exact', 'prefix', 'subsequence', 'any'] as const;
    expect([...fromStrict, 'subset'].sort()).toEqual([...toolOrders].sort());
    assertAlways(
      fc.property(tools, tools, (calls, expected) => {
        const met = fromStrict.map((order) => compare(calls, expected, order).isMet);
        expect(met).toEqual([...met].sort());
      }),
    );
  });

  it('is exact for the same list and no other', () => {
    assertAlways(
      fc.property(tools, tools, (calls, expected) => {
        expect(compare(calls, expected, 'exact').isMet).toBe(calls.join() === expected.join());
        expect(compare(calls, calls, 'exact').isMet).toBe(true);
      }),
    );
  });

  it('finds what is hidden among other calls', () => {
    assertAlways(
      fc.property(fc.array(fc.tuple(tool, fc.boolean()), { maxLength: 12 }), (marked) => {
        const calls = marked.map(([name]) => name);
        const expected = marked.filter(([, isExpected]) => isExpected).map(([name]) => name);
        expect(compare(calls, expected, 'subsequence')).toMatchObject({ isMet: true, matchCount: expected.length });
        expect(compare(calls, expected.toReversed(), 'any')).toMatchObject({ isMet: true });
      }),
    );
  });

  it('counts tools in any order as often as they were called', () => {
    assertAlways(
      fc.property(tools, tools, (calls, expected) => {
        const times = (list: readonly string[], name: string) => list.filter((other) => other === name).length;
        const count = ['a', 'b', 'c'].reduce(
          (sum, name) => sum + Math.min(times(calls, name), times(expected, name)),
          0,
        );
        expect(compare(calls, expected, 'any').matchCount).toBe(count);
      }),
    );
  });

  it('is a subset of what is met by any order the other way round', () => {
    assertAlways(
      fc.property(tools, tools, (calls, expected) => {
        expect(compare(calls, expected, 'subset').isMet).toBe(compare(expected, calls, 'any').isMet);
      }),
    );
  });

  it('pairs at most as many calls in order as in any order, and all of the same list', () => {
    assertAlways(
      fc.property(tools, tools, (calls, expected) => {
        const compared = { calls, expected, isCallOf: (call: string, wanted: string) => call === wanted };
        expect(countInBothOrders(compared)).toBeLessThanOrEqual(countInAnyOrder(compared));
        expect(countInBothOrders({ ...compared, expected: calls })).toBe(calls.length);
        const isMet = compare(calls, expected, 'subsequence').isMet;
        expect(countInBothOrders(compared) === expected.length).toBe(isMet);
      }),
    );
  });

  it('is broken only when no further calls could mend it', () => {
    assertAlways(
      fc.property(fc.constantFrom(...toolOrders), tools, tools, (order, calls, expected) => {
        const { isMet, isBroken } = compare(calls, expected, order);
        expect(isMet && isBroken).toBe(false);
        const completions = [expected, expected.slice(calls.length)].map((rest) =>
          compare([...calls, ...rest], expected, order),
        );
        expect(isMet || !isBroken).toBe(isMet || completions.some((completed) => completed.isMet));
      }),
    );
  });
});
