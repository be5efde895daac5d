/** An element of one list, and the element of the other that it belongs to, by their places. */
export type Pair = readonly [a: number, b: number];

/** From the first to before the last of a list. */
export interface Range {
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
 * Two ranges cut at the same proportions, so that a table of every part against its counterpart stays near the given
 * number of cells: what is too long to be looked at as a whole is looked at in pieces.
 */
export function pieces({ a, b }: RangePair, mostCells: number): RangePair[] {
  const count = Math.max(1, Math.ceil(Math.sqrt((sizeOf(a) * sizeOf(b)) / mostCells)));
  return Array.from({ length: count }, (_, index) => ({ a: part(a, index, count), b: part(b, index, count) }));
}

function part(range: Range, index: number, count: number): Range {
  const at = (place: number): number => range.start + Math.floor((sizeOf(range) * place) / count);
  return { start: at(index), end: at(index + 1) };
}
