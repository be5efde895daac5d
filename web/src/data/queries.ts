import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Grid } from '../../../src/entry/server/api/grid.ts';
import type { Status } from '../../../src/entry/server/api/project.ts';
import type { Agreement, ReviewItem, ReviewQueue, WriteLabel } from '../../../src/entry/server/api/review.ts';
import type {
  Dashboard,
  ExperimentOutline,
  FailureClusters,
  PlanExperiment,
  RunBreakdown,
  RunDetail,
  RunList,
  RunPlan,
  StartRun,
  TrialList,
} from '../../../src/entry/server/api/runs.ts';
import type { McpServers, Workers, WorkList } from '../../../src/entry/server/api/system.ts';
import { api } from './api.ts';

/** The filter and order of the list of runs. */
interface RunListFilter {
  readonly status?: string | undefined;
  readonly isArchived?: boolean | undefined;
  readonly text?: string | undefined;
  readonly order?: string | undefined;
  readonly direction?: string | undefined;
}

/** The filter and order of a run's trials, as in the address. */
interface TrialListFilter {
  readonly cluster?: string | undefined;
  readonly outcome?: string | undefined;
  readonly scenario?: string | undefined;
  readonly variant?: string | undefined;
  readonly text?: string | undefined;
  readonly order?: string | undefined;
  readonly direction?: string | undefined;
}

/** A report has all of them at hand. */
const pageSize = isReport ? 1_000_000 : 100;
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

/** How many trials a run would have, and its cost and time by earlier trials. */
export function runPlanQuery(wish: StartRun) {
  return queryOptions({
    queryKey: ['run-plan', wish],
    queryFn: () => api.post<RunPlan>('/runs/plan', wish),
    retry: false,
    staleTime: 0,
  });
}

/** The parts that an experiment could compare, and its plan. */
export function experimentPlanQuery(wish: PlanExperiment) {
  return queryOptions({
    queryKey: ['experiment-plan', wish],
    queryFn: () => api.post<ExperimentOutline>('/experiments/plan', wish),
    retry: false,
    staleTime: 0,
  });
}

/** The trials of a run under a filter, as far as one has scrolled. */
export function trialListQuery(runId: string, filter: TrialListFilter) {
  const { outcome, scenario, variant, cluster, text, order, direction } = filter;
  const selection = { outcome, scenario, variant, cluster, text, order, direction };
  return infiniteQueryOptions({
    queryKey: ['run', runId, 'trials', selection],
    queryFn: ({ pageParam, signal }) =>
      api.get<TrialList>(
        `/runs/${encodeURIComponent(runId)}/trials`,
        { ...selection, cursor: pageParam, limit: pageSize },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (previous) => previous,
  });
}

/** Rates, means and tables of a run that has ended. */
export function breakdownQuery(runId: string) {
  return queryOptions({
    queryKey: ['run', runId, 'breakdown'],
    queryFn: ({ signal }) => api.get<RunBreakdown>(`/runs/${encodeURIComponent(runId)}/breakdown`, {}, signal),
  });
}

const shownFailures = 20;

/** The newest failures of a run as it stands when the page is opened; the stream brings those that follow. */
export function latestFailuresQuery(runId: string) {
  return queryOptions({
    queryKey: ['run', runId, 'latest-failures'],
    queryFn: ({ signal }) =>
      api.get<TrialList>(
        `/runs/${encodeURIComponent(runId)}/trials`,
        { outcome: 'fail,error', order: 'started', direction: 'desc', limit: shownFailures },
        signal,
      ),
    refetchOnWindowFocus: false,
  });
}

/** Which cases of a run are listed, as in the address. */
interface CaseListFilter extends TrialListFilter {
  readonly sort?: string | undefined;
  readonly regex?: string | undefined;
  readonly where?: string | undefined;
  readonly differs?: string | undefined;
  readonly rater?: string | undefined;
}

const casesAtOnce = isReport ? 500 : 50;

/** The cases of a run under a filter, as far as one has scrolled. */
export function caseListQuery(runId: string, filter: CaseListFilter) {
  const { outcome, scenario, variant, text, sort, direction, regex, where, differs, rater } = filter;
  const selection = { outcome, scenario, variant, text, sort, direction, regex, where, differs, rater };
  return infiniteQueryOptions({
    queryKey: ['run', runId, 'cases', selection],
    queryFn: ({ pageParam, signal }) =>
      api.get<Grid>(
        `/runs/${encodeURIComponent(runId)}/cases`,
        { ...selection, cursor: pageParam, limit: casesAtOnce },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (previous) => previous,
    retry: false,
  });
}

/** The failures of a run, grouped by cause. */
export function problemsQuery(runId: string) {
  return queryOptions({
    queryKey: ['run', runId, 'problems'],
    queryFn: ({ signal }) => api.get<FailureClusters>(`/runs/${encodeURIComponent(runId)}/problems`, {}, signal),
  });
}

const workersRefetchMs = 3_000;

/** The MCP servers that scenarios and stored runs know. */
export function mcpServersQuery() {
  return queryOptions({
    queryKey: ['mcp'],
    queryFn: ({ signal }) => api.get<McpServers>('/mcp', {}, signal),
  });
}

/** Who works on the trials of a shared store, and what waits; looked at again every few seconds. */
export function workersQuery() {
  return queryOptions({
    queryKey: ['workers'],
    queryFn: ({ signal }) => api.get<Workers>('/workers', {}, signal),
    refetchInterval: ({ state }) => (state.data?.isShared === false ? false : workersRefetchMs),
  });
}

const workRefetchMs = 500;

/** Work of the server that takes long, and how far it is. */
export function workQuery() {
  return queryOptions({
    queryKey: ['work'],
    queryFn: ({ signal }) => api.get<WorkList>('/work', {}, signal),
    staleTime: 0,
    refetchInterval: workRefetchMs,
  });
}

const reviewPageSize = 200;

/** Judged trials for a rater. Fetched once: the order must not change while labelling. */
export function reviewQueueQuery(rater: string, run: string) {
  return queryOptions({
    queryKey: ['review', rater, run],
    queryFn: ({ signal }) => api.get<ReviewQueue>('/review', { rater, run, limit: reviewPageSize }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnMount: 'always',
  });
}

/** How far each judge agrees with the labels. */
export function agreementQuery() {
  return queryOptions({
    queryKey: ['review-agreement'],
    queryFn: ({ signal }) => api.get<Agreement>('/review/agreement', {}, signal),
  });
}

/** Keeps, changes or takes back a label. */
export function writeLabel(label: WriteLabel): Promise<ReviewItem> {
  return api.put<ReviewItem>('/labels', label);
}

/** Keeps the agreement as what later runs are compared with. */
export function keepAgreement(): Promise<Agreement> {
  return api.post<Agreement>('/review/calibrate');
}
