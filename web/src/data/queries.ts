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
  RunHead,
  RunList,
  RunPlan,
  StartRun,
  TrialList,
} from '../../../src/entry/server/api/runs.ts';
import type { McpServers, Workers, WorkList } from '../../../src/entry/server/api/system.ts';
import type { CollectedTraces, RuleList } from '../../../src/entry/server/api/traces.ts';
import { api } from './api.ts';
import { read, readByPost, readPages } from './read.ts';

type Filter<Key extends string> = { readonly [Name in Key]?: string | undefined };

/** The filter and order of a run's trials, as in the address. */
const trialFilters = ['outcome', 'scenario', 'variant', 'cluster', 'text', 'order', 'direction'] as const;
/** Which cases of a run are listed, as in the address. */
const caseFilters = [
  ...(['outcome', 'scenario', 'variant', 'text', 'sort', 'direction'] as const),
  ...(['regex', 'where', 'differs', 'figure', 'rater'] as const),
] as const;

/** How cases are ordered unless another order was chosen. */
export const problemsFirst = 'problems';

/** The part of an address that a list is filtered by. */
function chosen<Key extends string>(keys: readonly Key[], filter: Filter<Key>): Filter<Key> {
  return Object.fromEntries(keys.map((key) => [key, filter[key]])) as Filter<Key>;
}

/** Where a run is found in the API. */
export function runAddress(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

/** A report has all of them at hand. */
const pageSize = isReport ? 1_000_000 : 100;
const casesAtOnce = isReport ? 500 : 50;

/** The server, its project, and whether there is anything in it yet. */
export const statusQuery = () =>
  // Also how a server that ended is noticed on a page that asks for nothing else.
  read<Status>(['status'], '/status', {}, { refetchInterval: 10_000 });

/** Whether something on the first page is about to change. */
function isUnfinished(data: Dashboard | undefined): boolean {
  return data !== undefined && (data.waiting > 0 || data.recent.some(({ isLive }) => isLive));
}

/** The first page. */
export const dashboardQuery = () =>
  read<Dashboard>(
    ['dashboard'],
    '/dashboard',
    {},
    { refetchInterval: ({ state }) => (isUnfinished(state.data) ? 3_000 : 30_000) },
  );

interface RunListFilter extends Filter<'status' | 'text' | 'order' | 'direction'> {
  readonly isArchived?: boolean | undefined;
}

/** The list of runs, the newest first. */
export const runListQuery = (filter: RunListFilter) =>
  readPages<RunList>(['runs', filter], '/runs', { ...filter, limit: pageSize });

/** One run with its totals and its matrix, which are there at once. */
export const runQuery = (runId: string) => read<RunHead>(['run', runId], `${runAddress(runId)}/head`);

/** The figures of a run that ended at a time, which all of its trials are read for. */
export const runFiguresQuery = ({ runId, finishedAt }: Pick<RunHead, 'runId' | 'finishedAt'>) =>
  read<RunDetail>(['run', runId, 'figures', finishedAt], runAddress(runId));

/** How many trials a run would have, and its cost and time by earlier trials. */
export const runPlanQuery = (wish: StartRun) => readByPost<RunPlan>(['run-plan', wish], '/runs/plan', wish);

/** The parts that an experiment could compare, and its plan. */
export const experimentPlanQuery = (wish: PlanExperiment) =>
  readByPost<ExperimentOutline>(['experiment-plan', wish], '/experiments/plan', wish);

/** The trials of a run under a filter. */
export function trialListQuery(runId: string, filter: Filter<(typeof trialFilters)[number]>) {
  const selection = chosen(trialFilters, filter);
  return readPages<TrialList>(['run', runId, 'trials', selection], `${runAddress(runId)}/trials`, {
    ...selection,
    limit: pageSize,
  });
}

/** Rates, means and tables of a run that has ended. */
export const breakdownQuery = (runId: string) =>
  read<RunBreakdown>(['run', runId, 'breakdown'], `${runAddress(runId)}/breakdown`);

/** The newest failures of a run as it stands when the page is opened; the stream brings those that follow. */
export const latestFailuresQuery = (runId: string) =>
  read<TrialList>(
    ['run', runId, 'latest-failures'],
    `${runAddress(runId)}/trials`,
    { outcome: 'fail,error', order: 'started', direction: 'desc', limit: 20 },
    { refetchOnWindowFocus: false },
  );

/** The cases of a run under a filter. */
export function caseListQuery(runId: string, filter: Filter<(typeof caseFilters)[number]>) {
  const selection = { ...chosen(caseFilters, filter), sort: filter.sort ?? problemsFirst };
  const address = `${runAddress(runId)}/cases`;
  const pages = readPages<Grid>(['run', runId, 'cases', selection], address, { ...selection, limit: casesAtOnce });
  return { ...pages, retry: false };
}

/** The failures of a run, grouped by cause. */
export const problemsQuery = (runId: string) =>
  read<FailureClusters>(['run', runId, 'problems'], `${runAddress(runId)}/problems`);

/** The MCP servers that scenarios and stored runs know. */
export const mcpServersQuery = () => read<McpServers>(['mcp'], '/mcp');

/** Who works on the trials of a shared store, and what waits. */
export const workersQuery = () =>
  read<Workers>(
    ['workers'],
    '/workers',
    {},
    { refetchInterval: ({ state }) => (state.data?.isShared === false ? false : 3_000) },
  );

/** The traces that were collected in a period, the newest first; undefined: the newest period. */
export const tracesQuery = (run: string | undefined) => ({
  ...readPages<CollectedTraces>(['traces', run], '/traces', { run }),
  refetchInterval: 5_000,
});

/** The rules on collected traces, and how their runs went. */
export const rulesQuery = () => read<RuleList>(['rules'], '/rules', {}, { refetchInterval: 30_000 });

/** Work of the server that takes long, and how far it is. */
export const workQuery = () => read<WorkList>(['work'], '/work', {}, { staleTime: 0, refetchInterval: 500 });

/** Judged trials for a rater. Fetched once: the order must not change while labelling. */
export const reviewQueueQuery = (rater: string, run: string) =>
  read<ReviewQueue>(
    ['review', rater, run],
    '/review',
    { rater, run, limit: 200 },
    { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, refetchOnMount: 'always' },
  );

/** How far each judge agrees with the labels. */
export const agreementQuery = () => read<Agreement>(['review-agreement'], '/review/agreement');

/** Keeps, changes or takes back a label. */
export const writeLabel = (label: WriteLabel) => api.put<ReviewItem>('/labels', label);

/** Keeps the agreement as what later runs are compared with. */
export const keepAgreement = () => api.post<Agreement>('/review/calibrate');
