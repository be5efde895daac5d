import type { TrialRecord } from '../../../domain/record.ts';
import { Refusal } from '../refusal.ts';

/** The trials of the cases of a page. */
export interface CasePage {
  readonly cases: readonly (readonly TrialRecord[])[];
  /** Where the next page begins: the kind of the list and a place in it. */
  readonly next: string | null;
  readonly total: number | null;
  readonly unsearched: number;
}

/** The place that a cursor of this kind names; undefined without a cursor. */
export function placeIn(cursor: string | undefined, kind: string): number | undefined {
  if (cursor === undefined) return undefined;
  const [, named, place] = /^([a-z]+)-(\d{1,9})$/.exec(cursor) ?? [];
  if (named === kind) return Number(place);
  throw new Refusal(400, 'REQUEST_INVALID', 'This cursor does not belong to this list.', {
    hint: 'Start again without a cursor.',
  });
}
