import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, TextsTooLong } from './edit-distance.ts';

/** The textbook's table, row by row. */
function distanceByTable(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [index, letter] of a.entries()) {
    const next = [index + 1];
    for (const [column, other] of b.entries()) {
      const exchanged = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(exchanged, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const text = fc.array(fc.constantFrom('a', 'b', 'c', '👍'), { maxLength: 150, size: 'max' });

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['flaw', 'lawn', 2],
    ['ab', 'ba', 2],
  ])('of %j and %j is %d', (a, b, distance) => {
    expect(editDistance([...a], [...b])).toBe(distance);
  });

  it('is what the table gives, for texts over many words of bits', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(editDistance(a, b)).toBe(distanceByTable(a, b));
      }),
      { seed: 11, numRuns: 500 },
    );
  });

  it('is the same in both directions, and none for a text and itself', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, a)).toBe(0);
      }),
      { seed: 12, numRuns: 200 },
    );
  });

  it('refuses texts that take too long', () => {
    const long = new Array<string>(200_000).fill('a');
    expect(() => editDistance(long, long)).toThrow(TextsTooLong);
  });
});
