import type { RowStatus } from '../compare/trajectory/trajectory-diff.ts';

/** A row, or how many rows that are the same on both sides are left out. */
export type Folded<Row> = { readonly row: Row } | { readonly hidden: number };

/** Rows that are the same and stand next to a change are shown; shorter runs than this need no folding. */
const neighbours = 2;
const shortestFold = 3;

/** The rows around what differs; long runs of the same are left out in between. */
export function foldedRows<Row extends { readonly status: RowStatus }>(rows: readonly Row[]): Folded<Row>[] {
  const isShown = new Uint8Array(rows.length);
  for (const [index, { status }] of rows.entries()) {
    if (status !== 'same') isShown.fill(1, Math.max(0, index - neighbours), index + neighbours + 1);
  }
  const folded: Folded<Row>[] = [];
  for (let index = 0; index < rows.length; ) {
    let end = index;
    while (end < rows.length && isShown[end] === 0) end++;
    const hidden = end - index;
    if (hidden >= shortestFold) {
      folded.push({ hidden });
      index = end;
    } else {
      const stop = Math.max(end, index + 1);
      for (const row of rows.slice(index, stop)) folded.push({ row });
      index = stop;
    }
  }
  return folded;
}
