import type { TracePage } from '../../../../../src/entry/server/api/trials.ts';

/** An event with its place in the whole trace. */
export type PlacedEvent = TracePage['events'][number];

/** Events that are asked for together. */
export const pageSize = 100;

/** The pages that hold these events, and their neighbours: an answer may stand on another page than its call. */
export function pagesAround(indices: readonly number[], total: number): number[] {
  const last = Math.ceil(total / pageSize) - 1;
  const pages = new Set<number>();
  for (const index of indices) {
    const page = Math.floor(index / pageSize);
    for (const near of [page - 1, page, page + 1]) if (near >= 0 && near <= last) pages.add(near);
  }
  return [...pages].sort((a, b) => a - b);
}
