interface CommonSubsequence {
  /** In the order of both lists. */
  readonly pairs: readonly Pair[];
  /** False where the lists were too long, and unlike each other, to be looked at as a whole. */
  readonly isWhole: boolean;
}

/** Cells of the table of one comparison: 4 MB. */
const mostCells = 1_000_000;
const deepestSplit = 8;

/**
 * Equal elements of two lists in the order of both, as many as possible. The common beginning and end are taken first.
 * Long lists are split at elements that each of them has once; where there are none, they are compared in pieces, so
 * neither time nor memory grows with the product of their lengths.
 */
export function commonSubsequence(a: readonly number[], b: readonly number[]): CommonSubsequence {
  const [placesA, placesB] = [placesOfCommon(a, b), placesOfCommon(b, a)];
  const valuesAt = (list: readonly number[], places: readonly number[]) => places.map((place) => list[place] ?? 0);
  const { pairs, isWhole } = ofCommon(valuesAt(a, placesA), valuesAt(b, placesB));
  return { pairs: pairs.map(([inA, inB]) => [placesA[inA] ?? 0, placesB[inB] ?? 0]), isWhole };
}

/** An element that only one list has cannot be paired. */
function placesOfCommon(list: readonly number[], other: readonly number[]): number[] {
  const common = new Set(other);
  return list.flatMap((value, place) => (common.has(value) ? [place] : []));
}

function ofCommon(a: readonly number[], b: readonly number[]): CommonSubsequence {
  const pairs: Pair[] = [];
  let isWhole = true;
  const compare = (given: RangePair, depth: number): void => {
    const { inner, suffix } = trimmed(a, b, given, pairs);
    if (sizeOf(inner.a) * sizeOf(inner.b) <= mostCells) longest(a, b, inner, pairs);
    else {
      const anchors = depth < deepestSplit ? uniqueAnchors(a, b, inner) : [];
      if (anchors.length > 0) for (const part of between(inner, anchors)) compare(part, depth + 1);
      else {
        isWhole = false;
        for (const piece of pieces(inner, mostCells)) longest(a, b, piece, pairs);
      }
    }
    for (const pair of suffix) pairs.push(pair);
  };
  compare({ a: { start: 0, end: a.length }, b: { start: 0, end: b.length } }, 0);
  return { pairs, isWhole };
}

/** Gives out the common beginning at once; the common end has to wait for what lies between. */
function trimmed(
  a: readonly number[],
  b: readonly number[],
  given: RangePair,
  pairs: Pair[],
): { readonly inner: RangePair; readonly suffix: readonly Pair[] } {
  let [startA, startB, endA, endB] = [given.a.start, given.b.start, given.a.end, given.b.end];
  while (startA < endA && startB < endB && a[startA] === b[startB]) pairs.push([startA++, startB++]);
  const suffix: Pair[] = [];
  while (startA < endA && startB < endB && a[endA - 1] === b[endB - 1]) suffix.push([--endA, --endB]);
  return { inner: { a: { start: startA, end: endA }, b: { start: startB, end: endB } }, suffix: suffix.reverse() };
}

/** Each anchor begins a part, which therefore starts with a pair. */
function between(range: RangePair, anchors: readonly Pair[]): RangePair[] {
  const starts: Pair[] = [[range.a.start, range.b.start], ...anchors];
  return starts.map(([startA, startB], index) => {
    const [endA, endB] = starts[index + 1] ?? [range.a.end, range.b.end];
    return { a: { start: startA, end: endA }, b: { start: startB, end: endB } };
  });
}

/** The longest common subsequence of two short ranges; a cell holds how long it is from there to the end. */
function longest(a: readonly number[], b: readonly number[], { a: rows, b: columns }: RangePair, pairs: Pair[]): void {
  const [height, width] = [sizeOf(rows), sizeOf(columns)];
  if (height === 0 || width === 0) return;
  const stride = width + 1;
  const lengths = new Uint32Array((height + 1) * stride);
  const lengthAt = (row: number, column: number): number => lengths[row * stride + column] ?? 0;
  for (let row = height - 1; row >= 0; row--) {
    const wanted = a[rows.start + row];
    for (let column = width - 1; column >= 0; column--) {
      lengths[row * stride + column] =
        wanted === b[columns.start + column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < height && column < width; ) {
    if (a[rows.start + row] === b[columns.start + column]) pairs.push([rows.start + row++, columns.start + column++]);
    else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) row++;
    else column++;
  }
}

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
 * Two ranges cut at the same proportions, to keep a table of every part against its counterpart near the given number
 * of cells.
 */
export function pieces({ a, b }: RangePair, mostCells: number): RangePair[] {
  const count = Math.max(1, Math.ceil(Math.sqrt((sizeOf(a) * sizeOf(b)) / mostCells)));
  return Array.from({ length: count }, (_, index) => ({ a: part(a, index, count), b: part(b, index, count) }));
}

function part(range: Range, index: number, count: number): Range {
  const at = (place: number): number => range.start + Math.floor((sizeOf(range) * place) / count);
  return { start: at(index), end: at(index + 1) };
}

/** Elements that each of two ranges has exactly once, as many as stand in the same order in both. */
function uniqueAnchors(a: readonly number[], b: readonly number[], range: RangePair): Pair[] {
  const placesB = uniquePlaces(b, range.b);
  const candidates = [...uniquePlaces(a, range.a)].flatMap(([value, placeA]): Pair[] => {
    const placeB = placesB.get(value);
    return placeB === undefined ? [] : [[placeA, placeB]];
  });
  return longestRising(candidates.sort(([left], [right]) => left - right));
}

function uniquePlaces(list: readonly number[], { start, end }: Range): Map<number, number> {
  const places = new Map<number, number>();
  const repeated = new Set<number>();
  for (let place = start; place < end; place++) {
    const value = list[place] ?? 0;
    if (places.has(value)) repeated.add(value);
    else places.set(value, place);
  }
  for (const value of repeated) places.delete(value);
  return places;
}

/** The longest part of a list, sorted by the first place, in which the second place rises as well. */
function longestRising(pairs: readonly Pair[]): Pair[] {
  /** For each length, the index of the pair with which a rising list of that length ends lowest. */
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, [, place]] of pairs.entries()) {
    const length = firstNotBelow(ends, place, pairs);
    before.push(ends[length - 1] ?? -1);
    ends[length] = index;
  }
  const rising: Pair[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index];
    if (pair) rising.push(pair);
  }
  return rising.reverse();
}

function firstNotBelow(ends: readonly number[], place: number, pairs: readonly Pair[]): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const end = pairs[ends[middle] ?? 0]?.[1] ?? 0;
    if (end < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
