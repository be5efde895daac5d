import { commonSubsequence, type Pair, type RangePair } from './common-subsequence.ts';
import { nearPairs } from './near-pairs.ts';
import type { Step } from './steps.ts';

export const rowStatuses = ['same', 'changed', 'added', 'dropped', 'failed-now', 'mended'] as const;
export type RowStatus = (typeof rowStatuses)[number];

/** A step of A beside the step of B that it became; undefined on the side that lacks it. */
export interface TrajectoryRow {
  readonly status: RowStatus;
  readonly a: Step | undefined;
  readonly b: Step | undefined;
}

/** Two trajectories side by side. */
export interface TrajectoryDiff {
  readonly rows: readonly TrajectoryRow[];
  readonly counts: Readonly<Record<RowStatus, number>>;
  /** False where they were too long and unlike to be aligned as a whole, and were aligned in pieces. */
  readonly isWhole: boolean;
}

/** Aligns the steps of A and B; exchanging the sides gives the same pairs. */
export function diffTrajectories(a: readonly Step[], b: readonly Step[]): TrajectoryDiff {
  const { pairs, isWhole } = isInOrder(a, b) ? aligned(a, b) : exchanged(aligned(b, a));
  const rows: TrajectoryRow[] = [];
  let [nextA, nextB] = [0, 0];
  for (const [placeA, placeB] of [...pairs, [a.length, b.length] as const]) {
    for (; nextA < placeA; nextA++) rows.push({ status: 'dropped', a: a[nextA], b: undefined });
    for (; nextB < placeB; nextB++) rows.push({ status: 'added', a: undefined, b: b[nextB] });
    const [stepA, stepB] = [a[nextA++], b[nextB++]];
    if (stepA && stepB) rows.push({ status: statusOf(stepA, stepB), a: stepA, b: stepB });
  }
  return { rows, counts: countStatuses(rows), isWhole };
}

/** How many rows there are of each status. */
export function countStatuses(rows: readonly { readonly status: RowStatus }[]): Record<RowStatus, number> {
  const counts = { same: 0, changed: 0, added: 0, dropped: 0, 'failed-now': 0, mended: 0 };
  for (const { status } of rows) counts[status] += 1;
  return counts;
}

interface Alignment {
  readonly pairs: readonly Pair[];
  readonly isWhole: boolean;
}

/** Where several alignments are equally good, always the same is taken: sides are exchanged until they are in order. */
function isInOrder(a: readonly Step[], b: readonly Step[]): boolean {
  if (a.length !== b.length) return a.length < b.length;
  const different = a.findIndex(({ key }, index) => key !== b[index]?.key);
  return different === -1 || (a[different]?.key ?? '') < (b[different]?.key ?? '');
}

function exchanged({ pairs, isWhole }: Alignment): Alignment {
  return { pairs: pairs.map(([b, a]) => [a, b]), isWhole };
}

function aligned(a: readonly Step[], b: readonly Step[]): Alignment {
  const numbers = new Map<string, number>();
  const numberOf = ({ key }: Step): number => {
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  const { pairs, isWhole } = commonSubsequence(a.map(numberOf), b.map(numberOf));
  const all: Pair[] = [];
  let [nextA, nextB] = [0, 0];
  for (const [placeA, placeB] of [...pairs, [a.length, b.length] as const]) {
    const gap: RangePair = { a: { start: nextA, end: placeA }, b: { start: nextB, end: placeB } };
    for (const pair of nearPairs(a, b, gap)) all.push(pair);
    if (placeA < a.length || placeB < b.length) all.push([placeA, placeB]);
    [nextA, nextB] = [placeA + 1, placeB + 1];
  }
  return { pairs: all, isWhole };
}

function statusOf(a: Step, b: Step): RowStatus {
  const [isFailingA, isFailingB] = [a.state === 'failed', b.state === 'failed'];
  if (isFailingB && !isFailingA && a.state !== 'unknown') return 'failed-now';
  if (isFailingA && !isFailingB && b.state !== 'unknown') return 'mended';
  return a.key === b.key ? 'same' : 'changed';
}
