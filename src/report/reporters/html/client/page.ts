import type { PageHead, RowPage } from '../page-data.ts';
import { type TrialRow, unpackRows } from '../trial-row.ts';
import { TrialDetails } from './trial-details.ts';

/** Everything that the page holds. */
export interface Page {
  readonly head: PageHead;
  readonly rows: readonly TrialRow[];
  readonly rowById: ReadonlyMap<string, TrialRow>;
  readonly details: TrialDetails;
}

/** Reads what stands in the page up to here; details that come later are found when they are asked for. */
export function readPage(): Page {
  const head = dataOf('data-head')[0] as PageHead;
  const rows = dataOf('data-rows').flatMap((page) => unpackRows(page as RowPage));
  return { head, rows, rowById: new Map(rows.map((row) => [row.trialId, row])), details: new TrialDetails() };
}

function dataOf(name: string): unknown[] {
  return [...document.querySelectorAll(`script.${name}`)].map((script) => JSON.parse(script.textContent ?? ''));
}
