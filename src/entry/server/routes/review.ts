import { writeCalibrations } from '../../../compose/judge/calibrations.ts';
import { AssayError } from '../../../domain/errors.ts';
import { calibrate } from '../../../score/judge/calibration.ts';
import { agreementSchema, reviewItemSchema, reviewQuery, reviewQueueSchema, writeLabelSchema } from '../api/review.ts';
import type { ServerContext } from '../context.ts';
import { agreementOf, labelledTrials } from '../review/agreement.ts';
import { readReviewQueue, writeLabel } from '../review/queue.ts';
import { route, tagged } from '../route.ts';

/** Blind labelling of judged trials, and how far judges agree with people. */
export const reviewRoutes = tagged('review', [
  route('GET /api/review', 'reader', {
    summary: 'Judged trials to label, without their verdicts, in an order of the rater.',
    query: reviewQuery,
    answer: reviewQueueSchema,
    handle: ({ query }, { projectCache }) => readReviewQueue(query, projectCache),
  }),
  route('PUT /api/labels', 'reviewer', {
    summary: 'Saves, changes or removes the label of a rater for a trial.',
    body: writeLabelSchema,
    answer: reviewItemSchema,
    handle: ({ body }, context) => writeLabel(body, context),
  }),
  route('GET /api/review/agreement', 'reader', {
    summary: 'How far each judge agrees with the labels.',
    answer: agreementSchema,
    handle: async (_request, context) => agreementOf(await labelled(context), context.folder),
  }),
  route('POST /api/review/calibrate', 'reviewer', {
    summary: 'Saves the agreement of each judge in assay.calibration.json, as `assay calibrate` does.',
    answer: agreementSchema,
    async handle(_request, context) {
      const trials = await labelled(context);
      if (trials.length === 0) throw nothingLabelled();
      await writeCalibrations(context.folder, calibrate(trials));
      return agreementOf(trials, context.folder);
    },
  }),
]);

async function labelled({ projectCache, store }: ServerContext): ReturnType<typeof labelledTrials> {
  return labelledTrials(await projectCache.labels.read(), store);
}

function nothingLabelled(): AssayError {
  return new AssayError('USAGE', 'No judged trial has a label yet.', { hint: 'Label some trials first.' });
}
