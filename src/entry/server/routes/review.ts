import type * as z from 'zod';
import { projectRedaction } from '../../../compose/config/redaction.ts';
import { writeCalibrations } from '../../../compose/judge/calibrations.ts';
import { isJudged, type JudgedTrial, judgedTrial } from '../../../compose/summaries/judged-trials.ts';
import { AssayError } from '../../../domain/errors.ts';
import { type CalibrationLabel, calibrate } from '../../../score/judge/calibration.ts';
import { sha256 } from '../../../shared/ids.ts';
import {
  agreementSchema,
  type ReviewItem,
  type ReviewQueue,
  reviewItemSchema,
  reviewQuery,
  reviewQueueSchema,
  type WriteLabel,
  writeLabelSchema,
} from '../api/review.ts';
import type { ServerContext } from '../context.ts';
import type { ProjectCache } from '../project-cache.ts';
import { agreementOf, labelledTrials } from '../review/agreement.ts';
import { labelFileName } from '../review/labels.ts';
import { route, tagged } from '../route.ts';

/** The next trials for a rater, and how far they have come. */
async function readReviewQueue(
  { run, rater, limit }: z.output<typeof reviewQuery>,
  projectCache: Pick<ProjectCache, 'judgedTrials' | 'labels'>,
): Promise<ReviewQueue> {
  const items = reviewItems(await projectCache.judgedTrials.of(run), await projectCache.labels.read(), rater);
  const labelled = items.filter(({ label }) => label !== null).length;
  return { items: items.slice(0, limit), labelled, judged: items.length, file: labelFileName };
}

/** The next trials for a rater, unlabelled ones first, in an order that is stable and different for each rater. */
function reviewItems(trials: readonly JudgedTrial[], labels: readonly CalibrationLabel[], rater: string): ReviewItem[] {
  const own = new Map(labels.filter((each) => (each.rater ?? '') === rater).map((each) => [each.trialId, each]));
  const items = trials.map((trial) => {
    const given = own.get(trial.trialId);
    return { item: { ...trial, label: given?.label ?? null, note: given?.note ?? null }, place: placeOf(trial, rater) };
  });
  items.sort((a, b) => Number(a.item.label !== null) - Number(b.item.label !== null) || compared(a.place, b.place));
  return items.map(({ item }) => item);
}

function placeOf({ trialId }: JudgedTrial, rater: string): string {
  return sha256(JSON.stringify([rater, trialId]));
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Keeps what a rater says of a judged trial, and gives the trial as the queue has it. */
async function writeLabel(
  { trialId, label, rater, note, sawVerdict }: WriteLabel,
  { store, projectCache }: Pick<ServerContext, 'store' | 'projectCache'>,
): Promise<ReviewItem> {
  const record = await store.findTrial(trialId);
  if (record?.trialId !== trialId) throw new AssayError('NOT_FOUND', `There is no trial "${trialId}".`);
  if (!isJudged(record) && !sawVerdict) {
    throw new AssayError('USAGE', `No judge gave a verdict in the trial "${trialId}".`, {
      hint: 'Label trials that were judged.',
    });
  }
  await projectCache.labels.change({ trialId, rater, label, note, sawVerdict });
  const given = (await projectCache.labels.read()).find(
    (each) => each.trialId === trialId && (each.rater ?? '') === rater,
  );
  return { ...judgedTrial(record), label: given?.label ?? null, note: given?.note ?? null };
}

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
    summary: 'Saves the agreement of each judge in assay.calibration.json, as `assay score calibrate` does.',
    answer: agreementSchema,
    async handle(_request, context) {
      const trials = await labelled(context);
      if (trials.length === 0) throw nothingLabelled();
      await writeCalibrations(
        context.folder,
        calibrate(trials),
        projectRedaction(await context.project(), context.env),
      );
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
