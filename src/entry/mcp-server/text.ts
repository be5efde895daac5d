import * as z from 'zod';
import { marksOf } from '../../domain/marks.ts';
import { markSchema } from '../../domain/marks-schema.ts';
import { outcomeSchema } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { type RunSummary, runStatusSchema } from '../../domain/run.ts';
import { variantSchema } from '../../domain/variant.ts';
import { trialTitle } from '../../report/presentation/trial-text.ts';
import { formatDuration } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';

const maxAnswerLength = 24_000;

/** A text of foreign origin on one line, cut where it is long; the cut says how much is missing. */
export function clipped(text: string, maxLength = 400): string {
  const line = printable(text.length > maxLength * 4 ? text.slice(0, maxLength * 4) : text).trim();
  if (line.length <= maxLength && text.length <= maxLength * 4) return line;
  return `${line.slice(0, maxLength)}… (${text.length} characters)`;
}

/** A whole answer in words; one that is too long ends with how to see the rest. */
export function boundedAnswer(lines: readonly string[]): string {
  const text = lines.filter((line) => line !== '').join('\n');
  if (text.length <= maxAnswerLength) return text;
  return `${text.slice(0, maxAnswerLength)}\n… cut here: ask for less at a time, with a smaller \`limit\`.`;
}

/** How to get the next page of a list; null after the last. */
export function moreText(shown: { from: number; count: number; total: number }, what: string): string | null {
  const next = shown.from + shown.count;
  return next < shown.total ? `${shown.total - next} more ${what}: call again with from: ${next}` : null;
}

const count = z.number();

/** A run in short. */
export const runFactsSchema = z.object({
  runId: z.string(),
  startedAt: z.string(),
  status: runStatusSchema,
  outcome: z.enum(['pass', 'fail', 'error']).describe('error: something could not be judged, and nothing failed'),
  reason: z.string(),
  totals: z.object({ planned: count, pass: count, fail: count, error: count, skipped: count, notRun: count }),
  notJudged: count.describe('passed although an assertion was left out of the verdict'),
  durationMs: z.number().nullable(),
  costUsd: z.number().nullable().describe('null: not known'),
});

/** The facts of a run wherever it is mentioned. */
export function runFacts({ run, outcome, reason, totals, notJudged, durationMs, costUsd }: RunSummary) {
  const startedAt = new Date(run.startedAt).toISOString();
  return { runId: run.runId, startedAt, status: run.status, outcome, reason, totals, notJudged, durationMs, costUsd };
}

/** A run on one line. */
export function runLine({ runId, startedAt, status, outcome, reason, durationMs }: z.output<typeof runFactsSchema>) {
  const state = status === 'finished' ? outcome : status;
  return `${runId}  ${startedAt.slice(0, 16).replace('T', ' ')}  ${state}: ${reason} (${formatDuration(durationMs)})`;
}

/** A trial in short. */
export const trialFactsSchema = z.object({
  trialId: z.string(),
  scenario: z.string(),
  caseId: z.string(),
  variant: variantSchema,
  repeat: z.number(),
  outcome: outcomeSchema,
  reason: z.string(),
  durationMs: z.number().nullable(),
  marks: z.array(markSchema).describe('what Assay stood in for; empty: everything was the real thing'),
});

/** The facts of a trial wherever it is mentioned. */
export function trialFacts(record: TrialRecord) {
  const { trialId, scenario, caseId, variant, repeat, outcome, reason, durationMs } = record;
  const marks = [...marksOf(record)];
  return { trialId, scenario, caseId, variant, repeat, outcome, reason: clipped(reason), durationMs, marks };
}

/** A trial on one line. */
export function trialLine(facts: z.output<typeof trialFactsSchema>): string {
  return `${facts.outcome}  ${clipped(trialTitle(facts))}  ${facts.trialId}: ${facts.reason}`;
}
