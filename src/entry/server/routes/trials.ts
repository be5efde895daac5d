import { promoteTrial } from '../../../compose/cases/promote/promote-trial.ts';
import { storedTrial } from '../../../compose/cases/promote/recorded-trial.ts';
import { searchTrace, tracePage } from '../../../report/presentation/trace-page.ts';
import { startedRunSchema } from '../api/runs.ts';
import {
  type PromotedTrial,
  type PromoteTrial,
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
import type { ServerContext } from '../context.ts';
import { route, tagged } from '../route.ts';
import { sendArtifact } from '../trials/artifacts.ts';
import { findTrace, wholeEvent } from '../trials/find-trace.ts';
import { readRerun, rerunEdited } from '../trials/rerun.ts';
import { trialDetail } from '../trials/trial-detail.ts';

/** Writes a scenario from a trial of the store; its place is not chosen by the request. */
async function promoteStored(
  trialId: string,
  { name, criterion, assertTools, connector, binary }: PromoteTrial,
  context: ServerContext,
): Promise<PromotedTrial> {
  const project = await context.project();
  const trial = await storedTrial(trialId, context.store, project);
  const hints = { name, criterion, connector, binary, assertsTools: assertTools };
  const { file, name: given, fixture, notes } = await promoteTrial(trial, { ...hints, project, env: context.env });
  return { file, name: given, fixture, notes: [...notes] };
}

/** Trials and their traces. */
export const trialRoutes = tagged('trials', [
  route('GET /api/trials/{trialId}', 'reader', {
    summary: 'A trial without its trace.',
    answer: trialDetailSchema,
    handle: ({ params: { trialId } }, context) => trialDetail(trialId, context),
  }),
  route('GET /api/trials/{trialId}/rerun', 'reader', {
    summary: 'The input of the case as the files have it, and whether it can be edited and run again.',
    answer: rerunSchema,
    handle: ({ params: { trialId } }, context) => readRerun(trialId, context),
  }),
  route('POST /api/trials/{trialId}/rerun', 'runner', {
    summary: 'Runs the case with a changed input, as a run that is never compared; no file is changed.',
    body: rerunTrialSchema,
    status: 201,
    answer: startedRunSchema,
    handle: async ({ params: { trialId }, body }, context) => ({ runId: await rerunEdited(trialId, body, context) }),
  }),
  route('POST /api/trials/{trialId}/promote', 'editor', {
    summary: 'Writes a scenario file with the case of the trial, its work directory and its failure.',
    body: promoteTrialSchema,
    status: 201,
    answer: promotedTrialSchema,
    handle: ({ params: { trialId }, body }, context) => promoteStored(trialId, body, context),
  }),
  route('GET /api/trials/{trialId}/trace', 'reader', {
    summary: 'Neighbouring events of a trace; long texts are cut.',
    query: tracePageQuery,
    answer: tracePageSchema,
    handle: async ({ params: { trialId }, query: { from, limit } }, context) =>
      tracePage(await findTrace(trialId, context), from, limit),
  }),
  route('GET /api/trials/{trialId}/trace/search', 'reader', {
    summary: 'Which events hold a text or are of a type.',
    query: traceSearchQuery,
    answer: traceSearchSchema,
    handle: async ({ params: { trialId }, query }, context) => searchTrace(await findTrace(trialId, context), query),
  }),
  route('GET /api/trials/{trialId}/trace/{index}', 'reader', {
    summary: 'One event of a trace in full.',
    answer: wholeEventSchema,
    handle: async ({ params: { trialId, index } }, context) => wholeEvent(await findTrace(trialId, context), index),
  }),
  route('GET /api/trials/{trialId}/artifacts/{path*}', 'reader', {
    summary: 'A file of the trial, as a download.',
    answer: { mediaTypes: ['text/plain', 'application/octet-stream'], description: 'the file' },
    handle: ({ params: { trialId, path } }, context) => sendArtifact(trialId, path, context),
  }),
]);
