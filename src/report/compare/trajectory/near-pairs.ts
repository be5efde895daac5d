import { editDistance } from '../../../shared/edit-distance.ts';
import { type Pair, pieces, type RangePair, sizeOf } from './common-subsequence.ts';
import type { Step } from './steps.ts';

/** Steps of the two sides that are compared with each other at once. */
const mostCells = 100;
const mostWords = 30;
/** Of two messages without a common word. */
const leastNearness = 0.34;

/** Pairs in the order of both sides, as near to each other as possible in all. */
function bestPairs(a: readonly Step[], b: readonly Step[], { a: rows, b: columns }: RangePair): Pair[] {
  const [height, width] = [sizeOf(rows), sizeOf(columns)];
  const stride = width + 1;
  const nearness = new Float64Array(height * width);
  const totals = new Float64Array((height + 1) * stride);
  const wordsA = a.slice(rows.start, rows.end).map(wordsOf);
  const wordsB = b.slice(columns.start, columns.end).map(wordsOf);
  const totalAt = (row: number, column: number): number => totals[row * stride + column] ?? 0;
  const nearnessAt = (row: number, column: number): number => nearness[row * width + column] ?? 0;
  const paired = (row: number, column: number): number => nearnessAt(row, column) + totalAt(row + 1, column + 1);
  for (let row = height - 1; row >= 0; row--) {
    for (let column = width - 1; column >= 0; column--) {
      const [stepA, stepB] = [a[rows.start + row], b[columns.start + column]];
      nearness[row * width + column] =
        stepA && stepB ? nearnessOf(stepA, stepB, wordsA[row] ?? [], wordsB[column] ?? []) : 0;
      const apart = Math.max(totalAt(row + 1, column), totalAt(row, column + 1));
      totals[row * stride + column] = nearnessAt(row, column) > 0 ? Math.max(paired(row, column), apart) : apart;
    }
  }
  const pairs: Pair[] = [];
  for (let row = 0, column = 0; row < height && column < width; ) {
    const isPaired = nearnessAt(row, column) > 0 && paired(row, column) >= totalAt(row, column);
    if (isPaired) pairs.push([rows.start + row++, columns.start + column++]);
    else if (totalAt(row + 1, column) >= totalAt(row, column + 1)) row++;
    else column++;
  }
  return pairs;
}

/** From 0 for steps that have nothing to do with each other. */
function nearnessOf(a: Step, b: Step, wordsA: readonly string[], wordsB: readonly string[]): number {
  if (a.kind !== 'message' || b.kind !== 'message' || a.subject !== b.subject) return 0;
  return leastNearness + 1 - editDistance(wordsA, wordsB) / Math.max(wordsA.length, wordsB.length, 1);
}

function wordsOf({ key }: Step): string[] {
  return key
    .split(/[\s"'{}[\](),:=]+/, mostWords)
    .slice(1)
    .filter((word) => word !== '');
}

/**
 * Of steps that stand between the same neighbours on both sides: messages of one speaker, whose wording differs each
 * time. A deed in another form is another deed.
 */
export function nearPairs(a: readonly Step[], b: readonly Step[], range: RangePair): Pair[] {
  if (sizeOf(range.a) === 0 || sizeOf(range.b) === 0) return [];
  return pieces(range, mostCells).flatMap((piece) => bestPairs(a, b, piece));
}
