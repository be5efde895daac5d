import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Status } from '../../../src/entry/server/api/project.ts';
import type { Dashboard, FailureClusters, RunDetail, RunList, TrialList } from '../../../src/entry/server/api/runs.ts';
import { api } from './api.ts';

/** What the list of runs shows. */
export interface RunListFilter {
  readonly status?: string | undefined;
  readonly text?: string | undefined;
  readonly order?: string | undefined;
  readonly direction?: string | undefined;
}

/** What the list of a run's trials shows, as the address has it. */
export interface TrialListFilter {
  readonly outcome?: string | undefined;
  readonly scenario?: string | undefined;
  readonly variant?: string | undefined;
  readonly text?: string | undefined;
  readonly order?: string | undefined;
  readonly direction?: string | undefined;
}

const pageSize = 100;
const heartbeatMs = 10_000;

/** The server, its project, and whether there is anything in it yet. */
export function statusQuery() {
  return queryOptions({
    queryKey: ['status'],
    queryFn: ({ signal }) => api.get<Status>('/status', {}, signal),
    // Also how a server that ended is noticed on a page that asks for nothing else.
    refetchInterval: heartbeatMs,
  });
}

/** The first page. */
export function dashboardQuery() {
  return queryOptions({
    queryKey: ['dashboard'],
    queryFn: ({ signal }) => api.get<Dashboard>('/dashboard', {}, signal),
    refetchInterval: ({ state }) => (state.data?.recent.some(({ isLive }) => isLive) ? 3_000 : 30_000),
  });
}

/** The list of runs, the newest first, as far as one has scrolled. */
export function runListQuery(filter: RunListFilter) {
  return infiniteQueryOptions({
    queryKey: ['runs', filter],
    queryFn: ({ pageParam, signal }) =>
      api.get<RunList>('/runs', { ...filter, cursor: pageParam, limit: pageSize }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (previous) => previous,
  });
}

/** One run with its totals and its matrix. */
export function runQuery(runId: string) {
  return queryOptions({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => api.get<RunDetail>(`/runs/${encodeURIComponent(runId)}`, {}, signal),
  });
}

/** The trials of a run under a filter, as far as one has scrolled. */
export function trialListQuery(runId: string, filter: TrialListFilter) {
  return infiniteQueryOptions({
    queryKey: ['run', runId, 'trials', filter],
    queryFn: ({ pageParam, signal }) =>
      api.get<TrialList>(
        `/runs/${encodeURIComponent(runId)}/trials`,
        { ...filter, cursor: pageParam, limit: pageSize },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (previous) => previous,
  });
}

/** What went wrong alike in a run. */
export function problemsQuery(runId: string) {
  return queryOptions({
    queryKey: ['run', runId, 'problems'],
    queryFn: ({ signal }) => api.get<FailureClusters>(`/runs/${encodeURIComponent(runId)}/problems`, {}, signal),
  });
}
