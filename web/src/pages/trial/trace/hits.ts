/** The hit after or before a place in the trace, going round at the ends; undefined where there are none. */
export function nextHit(hits: readonly number[], from: number | undefined, direction: 1 | -1): number | undefined {
  if (hits.length === 0) return undefined;
  if (direction === 1) return hits.find((hit) => from === undefined || hit > from) ?? hits[0];
  return hits.findLast((hit) => from === undefined || hit < from) ?? hits.at(-1);
}

/** Which hit a place in the trace is, from 1; 0 where it is none. */
export function hitNumber(hits: readonly number[], place: number | undefined): number {
  return place === undefined ? 0 : hits.indexOf(place) + 1;
}
