import * as z from 'zod';
import { searchTrace, tracePage } from '../../../report/presentation/trace-page.ts';
import { startedRunSchema } from '../api/runs.ts';
import {
  promotedTrialSchema,
  promoteTrialSchema,
  rerunSchema,
  rerunTrialSchema,
  tracePageQuery,
  tracePageSchema,
  traceSearchQuery,
  traceSearchSchema,
  trialDetailSchema,
  wholeEventSchema,
} from '../api/trials.ts';
import { jsonRoute, mediaRoute } from '../route.ts';
import { sendArtifact } from '../trials/artifacts.ts';
import { findTrace, wholeEvent } from '../trials/find-trace.ts';
import { promoteStored } from '../trials/promote.ts';
import { readRerun, rerunEdited } from '../trials/rerun.ts';
import { trialDetail } from '../trials/trial-detail.ts';

const tag = 'trials';
const params = z.object({ trialId: z.string().max(200).describe('an id, or an unambiguous beginning of one') });

/** Trials and their traces. */
export const trialRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/trials/{trialId}',
    tag,
    role: 'reader',
    summary: 'A trial without its trace.',
    params,
    answer: trialDetailSchema,
    handle: ({ params: { trialId } }, context) => trialDetail(trialId, context),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/trials/{trialId}/rerun',
    tag,
    role: 'reader',
    summary: 'The input of the case as the files have it, and whether it can be edited and run again.',
    params,
    answer: rerunSchema,
    handle: ({ params: { trialId } }, context) => readRerun(trialId, context),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/trials/{trialId}/rerun',
    tag,
    role: 'runner',
    summary: 'Runs the case with a changed input, as a run that is never compared; no file is changed.',
    params,
    body: rerunTrialSchema,
    status: 201,
    answer: startedRunSchema,
    handle: async ({ params: { trialId }, body }, context) => ({ runId: await rerunEdited(trialId, body, context) }),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/trials/{trialId}/promote',
    tag,
    role: 'editor',
    summary: 'Writes a scenario file with the case of the trial, its work directory and its failure.',
    params,
    body: promoteTrialSchema,
    status: 201,
    answer: promotedTrialSchema,
    handle: ({ params: { trialId }, body }, context) => promoteStored(trialId, body, context),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/trials/{trialId}/trace',
    tag,
    role: 'reader',
    summary: 'Neighbouring events of a trace; long texts are cut.',
    params,
    query: tracePageQuery,
    answer: tracePageSchema,
    handle: async ({ params: { trialId }, query: { from, limit } }, context) =>
      tracePage(await findTrace(trialId, context), from, limit),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/trials/{trialId}/trace/search',
    tag,
    role: 'reader',
    summary: 'Which events hold a text or are of a type.',
    params,
    query: traceSearchQuery,
    answer: traceSearchSchema,
    handle: async ({ params: { trialId }, query }, context) => searchTrace(await findTrace(trialId, context), query),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/trials/{trialId}/trace/{index}',
    tag,
    role: 'reader',
    summary: 'One event of a trace in full.',
    params: params.extend({ index: z.coerce.number().int().min(0) }),
    answer: wholeEventSchema,
    handle: async ({ params: { trialId, index } }, context) => wholeEvent(await findTrace(trialId, context), index),
  }),
  mediaRoute({
    method: 'get',
    path: '/api/trials/{trialId}/artifacts/{path*}',
    tag,
    role: 'reader',
    summary: 'A file of the trial, as a download.',
    params: params.extend({ path: z.string().max(4_000) }),
    answer: { mediaTypes: ['text/plain', 'application/octet-stream'], description: 'the file' },
    handle: ({ params: { trialId, path } }, context) => sendArtifact(trialId, path, context),
  }),
];
