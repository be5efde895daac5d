import type { Pair, Range, RangePair } from './pieces.ts';

/** Elements that each of two ranges has exactly once, as many as stand in the same order in both. */
export function uniqueAnchors(a: readonly number[], b: readonly number[], range: RangePair): Pair[] {
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
