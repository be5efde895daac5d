import { diffArrays } from 'diff';

interface CommonSubsequence {
  /** In the order of both lists. */
  readonly pairs: readonly Pair[];
  /** False where the lists were too long, and unlike each other, to be looked at as a whole. */
  readonly isWhole: boolean;
}

/** Elements of one list that are not in the other, in both together: time and memory grow with the square of it. */
const mostEdits = 1_000;
/** Cells of the table of one piece, where the whole takes more edits. */
const mostCells = 20_000;

/**
 * Equal elements of two lists in the order of both, as many as possible. Long lists that are unlike each other are compared in
 * pieces, so neither time nor memory grows with the product of their lengths.
 */
export function commonSubsequence(a: readonly number[], b: readonly number[]): CommonSubsequence {
  const [placesA, placesB] = [placesOfCommon(a, b), placesOfCommon(b, a)];
  const [ofA, ofB] = [placesA.map((place) => a[place] ?? 0), placesB.map((place) => b[place] ?? 0)];
  const all: RangePair = { a: { start: 0, end: ofA.length }, b: { start: 0, end: ofB.length } };
  const whole = pairsIn(ofA, ofB, all, mostEdits);
  const pairs = whole ?? pieces(all, mostCells).flatMap((piece) => pairsIn(ofA, ofB, piece) ?? []);
  return { pairs: pairs.map(([inA, inB]) => [placesA[inA] ?? 0, placesB[inB] ?? 0]), isWhole: whole !== undefined };
}

/** An element that only one list has cannot be paired. */
function placesOfCommon(list: readonly number[], other: readonly number[]): number[] {
  const common = new Set(other);
  return list.flatMap((value, place) => (common.has(value) ? [place] : []));
}

/** Undefined where it takes more edits. */
function pairsIn(a: readonly number[], b: readonly number[], range: RangePair, most?: number): Pair[] | undefined {
  const [partA, partB] = [a.slice(range.a.start, range.a.end), b.slice(range.b.start, range.b.end)];
  const changes = diffArrays(partA, partB, { maxEditLength: most ?? partA.length + partB.length });
  if (!changes) return undefined;
  const pairs: Pair[] = [];
  let [placeA, placeB] = [range.a.start, range.b.start];
  for (const { added, removed, count } of changes) {
    if (!added && !removed) for (let step = 0; step < count; step++) pairs.push([placeA + step, placeB + step]);
    if (!added) placeA += count;
    if (!removed) placeB += count;
  }
  return pairs;
}

/** An element of one list, and the element of the other that it belongs to, by their places. */
export type Pair = readonly [a: number, b: number];

/** From the first to before the last of a list. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Parts of two lists that are looked at together. */
export interface RangePair {
  readonly a: Range;
  readonly b: Range;
}

/** How many there are in a range. */
export function sizeOf({ start, end }: Range): number {
  return end - start;
}

/**
 * Two ranges cut at the same proportions, to keep a table of every part against its counterpart near the given number
 * of cells.
 */
export function pieces({ a, b }: RangePair, most: number): RangePair[] {
  const count = Math.max(1, Math.ceil(Math.sqrt((sizeOf(a) * sizeOf(b)) / most)));
  return Array.from({ length: count }, (_, index) => ({ a: part(a, index, count), b: part(b, index, count) }));
}

function part(range: Range, index: number, count: number): Range {
  const at = (place: number): number => range.start + Math.floor((sizeOf(range) * place) / count);
  return { start: at(index), end: at(index + 1) };
}
