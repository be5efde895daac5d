import * as z from 'zod';
import type { JudgedCriterion } from '../../../domain/judge-result.ts';
import { type JudgeResponse, judgeResponseSchema, type Rubric, type RubricCriterion } from '../../../domain/rubric.ts';
import { idProblem, readReply, replyJsonSchema } from '../../../drive/models/prompting/read-reply.ts';
import {
  authorLines,
  authorNotes,
  composePrompt,
  promptOf,
  subjectLines,
  traceShare,
  withAdditions,
} from '../compose-prompt.ts';
import { undecided } from '../decide-by-criteria.ts';
import { discardedQuote, isProven, quoteComplaint, quoteSchema, verifyEvidence } from '../evidence.ts';
import { defineJudgeMode, type JudgeConclusion, type PromptSettings } from '../judge.ts';
import { rubricConfigSchema } from '../mode-configs.ts';
import promptText from '../prompts/rubric.v2.md?raw';
import { type ShownTrace, showTrace } from '../show-trace.ts';

const reportedDifference = 0.01;
const roundingError = 1e-9;

/** Sum of weight times score over the sum of the weights, without the dust that adding fractions leaves. */
export function weightedScore(
  criteria: readonly Pick<RubricCriterion, 'id' | 'weight'>[],
  scoreOf: (id: string) => number,
): number {
  const weights = criteria.reduce((sum, { weight }) => sum + weight, 0);
  const weighted = criteria.reduce((sum, { id, weight }) => sum + weight * scoreOf(id), 0);
  return Number((weighted / weights).toFixed(9));
}

/** A warning when the judge's own sum is off by more than rounding. */
export function sumWarning(reported: number, recomputed: number): string | undefined {
  if (Math.abs(reported - recomputed) <= reportedDifference + roundingError) return undefined;
  return `The judge's own weighted score ${reported} differs from the recomputed ${recomputed}`;
}

interface RubricRule {
  readonly rubric: Rubric;
  readonly passThreshold: number;
  readonly evidence: 'optional' | 'required';
}

/**
 * A score without evidence in the trace counts nothing for a pass. One whose evidence was made up could be anything;
 * one that quotes nothing is at most what the judge says, since what did not happen cannot be quoted. The rubric passes
 * when it passes with every such score at 0, fails when it fails with each at its most, and is undecided in between.
 */
function concludeRubric(rule: RubricRule, reply: RubricReply, renderedTrace: ShownTrace): JudgeConclusion {
  const judged = rule.rubric.criteria.map((criterion) => judgeCriterion(criterion, rule, reply, renderedTrace));
  const unproven = new Set(judged.filter(({ answer }) => answer === 'cannot-tell').map(({ id }) => id));
  const scoreOf = (id: string): number => reply.scores[id] ?? 0;
  const invented = new Set(judged.filter(({ evidence }) => evidence.length > 0).map(({ id }) => id));
  const { criteria } = rule.rubric;
  const mostOf = (id: string): number => (unproven.has(id) && invented.has(id) ? 1 : scoreOf(id));
  const leastOf = (id: string): number => (unproven.has(id) ? 0 : scoreOf(id));
  const lowest = afterDeductions(weightedScore(criteria, leastOf), criteria, mostOf);
  const highest = afterDeductions(weightedScore(criteria, mostOf), criteria, leastOf);
  const recomputed = weightedScore(rule.rubric.criteria, scoreOf);
  const warning = sumWarning(reply.weighted_score, recomputed);
  const discarded = discardedQuote(judged.flatMap(({ evidence }) => evidence));
  const { reasoning, ...given } = reply;
  const response: JudgeResponse = { ...given, weighted_score: recomputed };
  const range = { lowest, highest, passThreshold: rule.passThreshold, unproven: [...unproven], discarded };
  return {
    ...withRequired(decide(range), range, rule.rubric, mostOf, leastOf),
    threshold: rule.passThreshold,
    response: { ...response, model_weighted_score: reply.weighted_score },
    criteria: judged,
    confidence: reply.confidence,
    warnings: [...(warning ? [warning] : []), ...(reasoning ? [] : ['The judge gave no evidence for its scores'])],
  };
}

/** The weighted score without the deductions for mistakes, never below 0. */
function afterDeductions(
  score: number,
  criteria: readonly RubricCriterion[],
  happenedOf: (id: string) => number,
): number {
  const taken = criteria.reduce((sum, { id, deduction = 0 }) => sum + deduction * happenedOf(id), 0);
  return taken === 0 ? score : Number(Math.max(0, score - taken).toFixed(9));
}

type Decision = Pick<JudgeConclusion, 'state' | 'reason' | 'score' | 'fault'>;

/** A required criterion that is surely missed fails whatever the sum is; one that may be missed cannot pass. */
function withRequired(
  decision: Decision,
  { lowest, passThreshold, discarded }: ScoreRange,
  { criteria }: Rubric,
  mostOf: (id: string) => number,
  leastOf: (id: string) => number,
): Decision {
  const required = criteria.filter((criterion) => criterion.required);
  const missed = required.find(({ id }) => mostOf(id) < passThreshold);
  if (missed) {
    const reason = `required criterion ${missed.id} has score ${mostOf(missed.id)} < ${passThreshold}`;
    return { state: 'fail', score: lowest, reason };
  }
  const doubtful = required.find(({ id }) => leastOf(id) < passThreshold);
  if (!doubtful || decision.state !== 'pass') return decision;
  const why = discarded === undefined ? '' : `. ${discarded}`;
  return undecided(`could not be judged: no evidence in the trace for required criterion ${doubtful.id}${why}`);
}

interface ScoreRange {
  readonly lowest: number;
  readonly highest: number;
  readonly passThreshold: number;
  readonly unproven: readonly string[];
  readonly discarded: string | undefined;
}

function decide(range: ScoreRange): Decision {
  const { lowest, highest, passThreshold, unproven, discarded } = range;
  const without = unproven.length === 0 ? '' : ` (without evidence in the trace: ${unproven.join(', ')})`;
  if (lowest >= passThreshold) {
    return { state: 'pass', score: lowest, reason: `weighted score ${lowest} >= ${passThreshold}${without}` };
  }
  if (highest < passThreshold) {
    return { state: 'fail', score: lowest, reason: `weighted score ${highest} < ${passThreshold}${without}` };
  }
  const why = discarded === undefined ? '' : `. ${discarded}`;
  return undecided(`could not be judged: weighted score between ${lowest} and ${highest}${without}${why}`);
}

function judgeCriterion(
  { id, description, deduction }: RubricCriterion,
  rule: RubricRule,
  reply: RubricReply,
  renderedTrace: ShownTrace,
): JudgedCriterion {
  const reasoned = reply.reasoning?.find(({ criterion }) => criterion === id);
  const evidence = verifyEvidence(reasoned?.evidence ?? [], renderedTrace);
  const score = reply.scores[id] ?? 0;
  const needsEvidence = rule.evidence === 'required' && score > 0;
  const isSupported = isProven(evidence) || (evidence.length === 0 && !needsEvidence);
  const isMet = deduction === undefined ? score >= rule.passThreshold : score > 0;
  const answer = !isSupported ? 'cannot-tell' : isMet ? 'met' : 'not-met';
  const kind = deduction === undefined ? 'weighted' : 'failure';
  return { id, kind, text: description, answer, reason: reasoned?.reason ?? '', evidence, score };
}

const reasoningSchema = z.array(
  z.object({ criterion: z.string(), reason: z.string(), evidence: z.array(quoteSchema) }),
);

/** Accepted replies: a judge that knows only the bare response may leave the reasoning out, which is reported. */
const rubricReplySchema = z.object({
  reasoning: reasoningSchema.optional(),
  ...judgeResponseSchema.shape,
});
type RubricReply = z.output<typeof rubricReplySchema>;

/** Schema for the prompt: everything is required, and the reasoning comes before the scores. */
function requestedReplySchema(ids: readonly string[]) {
  const { scores, weighted_score, confidence, issues, highlights } = judgeResponseSchema.shape;
  const score = scores.valueType;
  return z.object({
    reasoning: reasoningSchema,
    scores: z.object(Object.fromEntries(ids.map((id) => [id, score]))),
    weighted_score,
    issues,
    highlights,
    confidence,
  });
}

/** Problem with the criteria that a reply scores and reasons about. */
function coverageProblem(ids: readonly string[], reply: RubricReply): string | undefined {
  const scored = idProblem(ids, Object.keys(reply.scores));
  if (scored !== undefined) return `scores: ${scored}`;
  const reasonedIds = reply.reasoning?.map(({ criterion }) => criterion);
  const reasoned = reasonedIds && idProblem(ids, reasonedIds);
  return reasoned === undefined ? undefined : `reasoning: ${reasoned}`;
}

const prompt = promptOf(promptText);

/** A weighted rubric; the weighted score is recomputed and compared with the threshold. */
export const rubric = defineJudgeMode({
  mode: 'rubric',
  summary: 'a weighted rubric: a score from 0 to 1 for each criterion, the weighted score recomputed',
  promptVersion: 'rubric.v2',
  configSchema: rubricConfigSchema,
  prepare(config) {
    const ids = config.rubric.criteria.map(({ id }) => id);
    const schema = replyJsonSchema(requestedReplySchema(ids));
    return (bareSubject, settings) => {
      const subject = withAdditions(withAdditions(bareSubject, config.rubric), config);
      const { evidenceFrom } = subject;
      const tokenBudget = settings.tokenBudget * traceShare;
      const renderedTrace = showTrace(subject, { ...settings, tokenBudget, evidenceFrom });
      const data = { data: [...subjectLines(subject, settings), ...renderedTrace.lines] };
      const trusted = {
        criteria: rubricLines(config.rubric, settings),
        notes: authorNotes(subject, settings),
      };
      return {
        ...composePrompt(prompt, { data, trusted, evidenceFrom }, settings),
        output: { name: 'rubric_response', schema },
        maxOutputTokens: 2_000 + 500 * ids.length,
        read: (text) => {
          const reading = readReply(text, rubricReplySchema, (reply) => coverageProblem(ids, reply));
          if (!reading.isReadable) return reading;
          const value = concludeRubric(config, reading.value, renderedTrace);
          const complaint = quoteComplaint((value.criteria ?? []).flatMap(({ evidence }) => evidence));
          return { ...reading, value, complaint };
        },
      };
    };
  },
});

function rubricLines({ criteria }: Rubric, settings: PromptSettings): string {
  return authorLines(
    criteria.map(({ description }) => description),
    settings,
    (index) => `- ${JSON.stringify(criteria[index]?.id)}, weight ${weightText(criteria[index])}:`,
  );
}

function weightText(criterion: RubricCriterion | undefined): string {
  if (criterion?.deduction === undefined) return String(criterion?.weight);
  return '0, a mistake: 1 if it happened, 0 if it did not';
}
