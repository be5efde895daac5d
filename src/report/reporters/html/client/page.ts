import type { PageHead } from '../page-data.ts';
import type { TrialRow } from '../trial-row.ts';
import type { TrialDetails } from './trial-view.ts';
/** Everything that the page holds. */
export interface Page {
  readonly head: PageHead;
  readonly rows: readonly TrialRow[];
  readonly rowById: ReadonlyMap<string, TrialRow>;
  readonly details: TrialDetails;
}
