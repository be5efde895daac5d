import { pathsWithin, selectScenarios } from '../../../compose/run/prepare-run.ts';
import { AssayError } from '../../../domain/errors.ts';
import { features } from '../../../features/index.ts';
import { requireRun } from '../../../keep/store/store.ts';
import { gridQuery, gridSchema } from '../api/grid.ts';
import {
  controlledRunSchema,
  controlRunSchema,
  dashboardSchema,
  type ExperimentOutline,
  experimentOutlineSchema,
  failureClustersSchema,
  labelRunSchema,
  type PlanExperiment,
  planExperimentSchema,
  runBreakdownSchema,
  runDetailSchema,
  runHeadSchema,
  runListQuery,
  runListSchema,
  runPlanSchema,
  startedRunSchema,
  startRunSchema,
  trialListQuery,
  trialListSchema,
} from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { readGrid } from '../grid/read-grid.ts';
import { runEvents } from '../live/event-stream.ts';
import { route, tagged } from '../route.ts';
import { dashboard } from '../runs/dashboard.ts';
import { failureClusters } from '../runs/failure-clusters.ts';
import { listTrials } from '../runs/list-trials.ts';
import { listRuns, runByCounts, runDetail } from '../runs/read-runs.ts';
import {
  cancelRun,
  changeRun,
  deleteRun,
  labelRun,
  rescoreRun,
  resumeRun,
  retryErrors,
  startRun,
} from '../runs/run-actions.ts';
import { runReport } from '../runs/run-report.ts';
import { compute } from '../work/heavy-work.ts';

/** Plans an experiment on the scenarios of a request; nothing is run. */
async function outlineExperiment(wish: PlanExperiment, context: ServerContext): Promise<ExperimentOutline> {
  const project = await context.project();
  const { experiment = {}, paths, ...options } = wish;
  const request = { ...options, paths: pathsWithin(paths, project.folder, project) };
  const { scenarios } = await selectScenarios(request, project, { env: context.env });
  const outlined = await features.find(({ outline }) => outline)?.outline?.(experiment, scenarios);
  if (outlined) return outlined;
  throw new AssayError('USAGE', 'This Assay has no experiments.');
}

/** Actions on a run, which answer with its id or with that of the run that they make. */
const actions = [
  { name: 'cancel', status: 200, act: cancelRun, summary: 'Interrupts a run; what has finished is stored.' },
  { name: 'resume', status: 200, act: resumeRun, summary: 'Resumes an interrupted run.' },
  {
    name: 'retry-errors',
    status: 200,
    act: retryErrors,
    summary: 'Runs trials of a run again that ended in an error, and keeps the earlier attempts.',
  },
  {
    name: 'rescore',
    status: 201,
    act: rescoreRun,
    summary: 'Evaluates a run again with the current files, as a new run.',
  },
] as const;

/** Runs: what there is, what happens, and what is to happen. */
export const runRoutes = tagged('runs', [
  route('GET /api/runs', 'reader', {
    summary: 'The runs, the newest first.',
    query: runListQuery,
    answer: runListSchema,
    handle: ({ query }, context) => listRuns(query, context),
  }),
  route('POST /api/runs', 'runner', {
    summary: 'Starts a run.',
    body: startRunSchema,
    status: 201,
    answer: startedRunSchema,
    handle: async ({ body }, context) => ({ runId: await startRun(body, context) }),
  }),
  route('POST /api/runs/plan', 'runner', {
    summary: 'How many trials a run would have, and its cost and time by earlier trials; nothing is run.',
    body: startRunSchema,
    answer: runPlanSchema,
    handle: ({ body: wish, raw }, context) => context.heavyWork.run('plan', { wish }, context, { signal: raw.signal }),
  }),
  route('POST /api/experiments/plan', 'runner', {
    summary: 'What an experiment could compare, and how many trials it would take; nothing is run.',
    body: planExperimentSchema,
    answer: experimentOutlineSchema,
    handle: ({ body }, context) => outlineExperiment(body, context),
  }),
  route('GET /api/runs/{runId}/head', 'reader', {
    summary: 'A run with its totals by scenario and variant, by its counts alone.',
    answer: runHeadSchema,
    handle: ({ params: { runId } }, context) => runByCounts(runId, context),
  }),
  route('GET /api/runs/{runId}', 'reader', {
    summary: 'A run with its totals by scenario and variant, and the figures that all of its trials are read for.',
    answer: runDetailSchema,
    handle: ({ params: { runId }, raw }, context) => runDetail(runId, context, raw.signal),
  }),
  route('DELETE /api/runs/{runId}', 'editor', {
    summary: 'Deletes a run with its trials, traces, artifacts and reports; one that is running stays.',
    answer: startedRunSchema,
    handle: async ({ params: { runId } }, context) => ({ runId: await deleteRun(runId, context) }),
  }),
  ...actions.map(({ name, summary, status, act }) =>
    route(`POST /api/runs/{runId}/${name}`, 'runner', {
      summary,
      status,
      answer: startedRunSchema,
      handle: async ({ params: { runId } }, context) => ({ runId: await act(runId, context) }),
    }),
  ),
  route('PUT /api/runs/{runId}/labels', 'runner', {
    summary: 'Changes the name, tags, notes or archive mark of a run.',
    body: labelRunSchema,
    answer: startedRunSchema,
    handle: async ({ params: { runId }, body }, context) => ({ runId: await labelRun(runId, body, context) }),
  }),
  route('POST /api/runs/{runId}/control', 'runner', {
    summary: 'Pauses a live run, continues it, changes its settings, or runs its errors again.',
    body: controlRunSchema,
    answer: controlledRunSchema,
    handle: ({ params: { runId }, body }, context) => changeRun(runId, body, context),
  }),
  route('GET /api/runs/{runId}/events', 'reader', {
    summary: 'Events of a run as they happen; resumes from `Last-Event-ID`.',
    answer: { mediaTypes: ['text/event-stream'], description: 'each event is a `RunStreamEvent` as JSON' },
    handle: ({ params: { runId }, raw }, context) => runEvents(runId, raw, context),
  }),
  route('GET /api/runs/{runId}/trials', 'reader', {
    summary: 'The trials of a run.',
    query: trialListQuery,
    answer: trialListSchema,
    handle: ({ params: { runId }, query, raw }, context) => listTrials(runId, query, context, raw.signal),
  }),
  route('GET /api/runs/{runId}/cases', 'reader', {
    summary: 'The cases of a run with their trials, verdicts and figures, filtered and sorted.',
    query: gridQuery,
    answer: gridSchema,
    handle: ({ params: { runId }, query, raw }, context) => readGrid(runId, query, context, raw.signal),
  }),
  route('GET /api/runs/{runId}/problems', 'reader', {
    summary: 'Failures grouped by cause.',
    answer: failureClustersSchema,
    handle: ({ params: { runId } }, context) => failureClusters(runId, context),
  }),
  route('GET /api/runs/{runId}/breakdown', 'reader', {
    summary: 'Rates of assertions, means of metrics, and the tables of the reports: guidance, tool health and others.',
    answer: runBreakdownSchema,
    async handle({ params: { runId }, raw: { signal } }, context) {
      const run = await requireRun(context.store, runId);
      return compute('breakdown', { run }, [run], context, { cache: context.runCache.breakdowns, signal });
    },
  }),
  route('GET /api/runs/{runId}/report/{format}', 'reader', {
    summary: 'A report of a run to keep.',
    answer: { mediaTypes: ['text/plain', 'application/octet-stream'], description: 'the file' },
    handle: ({ params: { runId, format }, raw }, context) => runReport(runId, format, context, raw.signal),
  }),
  route('GET /api/dashboard', 'reader', {
    summary: 'Recent runs, results over time, and regressions.',
    answer: dashboardSchema,
    handle: (_request, context) => dashboard(context),
  }),
]);
