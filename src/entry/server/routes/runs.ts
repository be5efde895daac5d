import * as z from 'zod';
import {
  controlledRunSchema,
  controlRunSchema,
  dashboardSchema,
  experimentOutlineSchema,
  failureClustersSchema,
  planExperimentSchema,
  runDetailSchema,
  runListQuery,
  runListSchema,
  startedRunSchema,
  startRunSchema,
  trialListQuery,
  trialListSchema,
} from '../api/runs.ts';
import { runEvents } from '../live/event-stream.ts';
import { jsonRoute, mediaRoute } from '../route.ts';
import { dashboard } from '../runs/dashboard.ts';
import { failureClusters } from '../runs/failure-clusters.ts';
import { listTrials } from '../runs/list-trials.ts';
import { outlineExperiment } from '../runs/outline-experiment.ts';
import { listRuns, runDetail } from '../runs/read-runs.ts';
import { cancelRun, changeRun, rescoreRun, resumeRun, startRun } from '../runs/run-actions.ts';
import { runReport } from '../runs/run-report.ts';

const tag = 'runs';
const params = z.object({ runId: z.string().max(200).describe('an id, the beginning of one, or `latest`') });

/** Runs: what there is, what happens, and what is to happen. */
export const runRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/runs',
    tag,
    role: 'reader',
    summary: 'The runs, the newest first.',
    query: runListQuery,
    answer: runListSchema,
    handle: ({ query }, context) => listRuns(query, context),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/runs',
    tag,
    role: 'runner',
    summary: 'Starts a run.',
    body: startRunSchema,
    status: 201,
    answer: startedRunSchema,
    handle: async ({ body }, context) => ({ runId: await startRun(body, context) }),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/experiments/plan',
    tag,
    role: 'runner',
    summary: 'What an experiment could compare, and how many trials it would take; nothing is run.',
    body: planExperimentSchema,
    answer: experimentOutlineSchema,
    handle: ({ body }, context) => outlineExperiment(body, context),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/runs/{runId}',
    tag,
    role: 'reader',
    summary: 'A run with its totals by scenario and variant.',
    params,
    answer: runDetailSchema,
    handle: ({ params: { runId } }, context) => runDetail(runId, context),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/runs/{runId}/cancel',
    tag,
    role: 'runner',
    summary: 'Interrupts a run; what has finished is stored.',
    params,
    answer: startedRunSchema,
    handle: async ({ params: { runId } }, context) => ({ runId: await cancelRun(runId, context) }),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/runs/{runId}/control',
    tag,
    role: 'runner',
    summary: 'Pauses a live run, continues it, changes its settings, or runs its errors again.',
    params,
    body: controlRunSchema,
    answer: controlledRunSchema,
    handle: ({ params: { runId }, body }, context) => changeRun(runId, body, context),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/runs/{runId}/resume',
    tag,
    role: 'runner',
    summary: 'Resumes an interrupted run.',
    params,
    answer: startedRunSchema,
    handle: async ({ params: { runId } }, context) => ({ runId: await resumeRun(runId, context) }),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/runs/{runId}/retry-errors',
    tag,
    role: 'runner',
    summary: 'Runs trials of a run again that ended in an error, and keeps the earlier attempts.',
    params,
    answer: startedRunSchema,
    handle: async ({ params: { runId } }, context) => ({ runId: await resumeRun(runId, context, true) }),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/runs/{runId}/rescore',
    tag,
    role: 'runner',
    summary: 'Evaluates a run again with the current files, as a new run.',
    params,
    status: 201,
    answer: startedRunSchema,
    handle: async ({ params: { runId } }, context) => ({ runId: await rescoreRun(runId, context) }),
  }),
  mediaRoute({
    method: 'get',
    path: '/api/runs/{runId}/events',
    tag,
    role: 'reader',
    summary: 'Events of a run as they happen; resumes from `Last-Event-ID`.',
    params,
    answer: { mediaTypes: ['text/event-stream'], description: 'each event is a `RunStreamEvent` as JSON' },
    handle: ({ params: { runId }, raw }, context) => runEvents(runId, raw, context),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/runs/{runId}/trials',
    tag,
    role: 'reader',
    summary: 'The trials of a run.',
    params,
    query: trialListQuery,
    answer: trialListSchema,
    handle: ({ params: { runId }, query }, context) => listTrials(runId, query, context),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/runs/{runId}/problems',
    tag,
    role: 'reader',
    summary: 'Failures grouped by cause.',
    params,
    answer: failureClustersSchema,
    handle: ({ params: { runId } }, context) => failureClusters(runId, context),
  }),
  mediaRoute({
    method: 'get',
    path: '/api/runs/{runId}/report/{format}',
    tag,
    role: 'reader',
    summary: 'A report of a run to keep.',
    params: params.extend({ format: z.string().max(60).describe('html, junit, markdown, json, csv, …') }),
    answer: { mediaTypes: ['text/plain', 'application/octet-stream'], description: 'the file' },
    handle: ({ params: { runId, format } }, context) => runReport(runId, format, context),
  }),
];

/** The first page. */
export const dashboardRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/dashboard',
    tag: 'runs',
    role: 'reader',
    summary: 'Recent runs, results over time, and regressions.',
    answer: dashboardSchema,
    handle: (_request, context) => dashboard(context),
  }),
];
