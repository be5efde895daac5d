import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StateRow } from '../../domain/state-change.ts';
import { matchRows } from '../../score/evaluators/assertions/state/match-rows.ts';
import { stateSchema } from '../../score/evaluators/assertions/state/state-config.ts';
import { canonicalJson } from '../../shared/json.ts';
import { differenceOf } from './difference.ts';

const cell = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('a', 'b', null));
const table = (withIds: boolean) =>
  fc
    .array(fc.record({ x: cell, y: cell }), { maxLength: 8 })
    .map((rows) => rows.map((row, index): StateRow => (withIds ? { id: index * 7 + 1, ...row } : row)));
const subset = (rows: readonly StateRow[]) => fc.subarray([...rows]);
const state = stateSchema().parse({ command: 'x' });
const sorted = (rows: readonly StateRow[]): string[] => rows.map((row) => canonicalJson(row)).toSorted();

/** The rows that there must be after a difference. */
function applied(before: readonly StateRow[], found: ReturnType<typeof differenceOf>): StateRow[] {
  const left = sorted([...found.removed, ...found.changed.map((change) => change.before)]);
  const kept = before.filter((row) => {
    const place = left.indexOf(canonicalJson(row));
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
  return [...kept, ...found.added, ...found.changed.map((change) => change.after)];
}

describe.each([true, false])('the difference of generated tables, with ids: %s', (withIds) => {
  const pair = fc.tuple(table(withIds), table(withIds)).chain(([a, b]) => fc.tuple(subset(a), subset(b)));

  it('leads from the one to the other, and back', () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const there = differenceOf(state, { rows: before }, { rows: after });
        const back = differenceOf(state, { rows: after }, { rows: before });
        expect(sorted(applied(before, there))).toEqual(sorted(after));
        expect(sorted(back.added)).toEqual(sorted(there.removed));
        expect(back.changed).toHaveLength(there.changed.length);
      }),
      { numRuns: 300 },
    );
  });

  it('is empty exactly where both hold the same rows, in any order', () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const { added, removed, changed } = differenceOf(state, { rows: before }, { rows: after.toReversed() });
        const isSame = canonicalJson(sorted(before)) === canonicalJson(sorted(after));
        expect(added.length + removed.length + changed.length === 0).toBe(isSame);
      }),
      { numRuns: 300 },
    );
  });
});

describe('matching', () => {
  it('finds as many as every order of trying them does', () => {
    const fits = fc.array(fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), { maxLength: 4 });
    fc.assert(
      fc.property(fits, (wanted) => {
        const rows = [0, 1, 2, 3];
        const tests = wanted.map((fit) => ({ test: (row: unknown) => (fit[Number(row)] ? undefined : 'no') }));
        const { unmet, unmatched } = matchRows(rows, tests);
        expect(unmet).toHaveLength(wanted.length - most(wanted, new Set()));
        expect(unmatched).toHaveLength(rows.length - (wanted.length - unmet.length));
      }),
      { numRuns: 500 },
    );
  });
});

/** The largest matching, by trying everything. */
function most([first, ...rest]: readonly (readonly boolean[])[], taken: ReadonlySet<number>): number {
  if (!first) return 0;
  const placed = first.flatMap((fits, row) =>
    fits && !taken.has(row) ? [1 + most(rest, new Set([...taken, row]))] : [],
  );
  return Math.max(most(rest, taken), ...placed);
}
