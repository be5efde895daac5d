import type { QueryClient } from '@tanstack/react-query';
import type { RunSearch } from '../../app/search-params.ts';
import { caseListQuery } from '../../data/queries.ts';
import { trialQuery } from '../../data/trials.ts';

/** Narrower, neither the list nor the trial beside it could be read. */
export const besideList = '(min-width: 84rem)';

/** Fetches the cases of a run, and where there is room the case that is shown beside them, so both are drawn at once. */
export async function fetchCases(client: QueryClient, runId: string, filter: Omit<RunSearch, 'trial'>): Promise<void> {
  const isWide = window.matchMedia(besideList).matches;
  const { pages } = await client.fetchInfiniteQuery(caseListQuery(runId, filter));
  const first = pages[0]?.items[0]?.arms[0]?.trialId;
  if (isWide && first !== undefined) await client.prefetchQuery(trialQuery(first));
}
