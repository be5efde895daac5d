import type { JudgedCriterion } from '../../domain/judge-result.ts';
import type { JudgeResponse, Rubric, RubricCriterion } from '../../domain/rubric.ts';
import { undecided } from './decide-by-criteria.ts';
import { discardedQuote, isProven, verifyEvidence } from './evidence.ts';
import type { JudgeConclusion } from './judge.ts';
import type { RubricReply } from './rubric-reply.ts';
import type { ShownTrace } from './show-trace.ts';
import { sumWarning, weightedScore } from './weighted-score.ts';

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
export function concludeRubric(rule: RubricRule, reply: RubricReply, shown: ShownTrace): JudgeConclusion {
  const judged = rule.rubric.criteria.map((criterion) => judgeCriterion(criterion, rule, reply, shown));
  const unproven = new Set(judged.filter(({ answer }) => answer === 'cannot-tell').map(({ id }) => id));
  const scoreOf = (id: string): number => reply.scores[id] ?? 0;
  const invented = new Set(judged.filter(({ evidence }) => evidence.length > 0).map(({ id }) => id));
  const lowest = weightedScore(rule.rubric.criteria, (id) => (unproven.has(id) ? 0 : scoreOf(id)));
  const highest = weightedScore(rule.rubric.criteria, (id) => (unproven.has(id) && invented.has(id) ? 1 : scoreOf(id)));
  const recomputed = weightedScore(rule.rubric.criteria, scoreOf);
  const warning = sumWarning(reply.weighted_score, recomputed);
  const discarded = discardedQuote(judged.flatMap(({ evidence }) => evidence));
  const { reasoning, ...given } = reply;
  const response: JudgeResponse = { ...given, weighted_score: recomputed };
  return {
    ...decide({ lowest, highest, passThreshold: rule.passThreshold, unproven: [...unproven], discarded }),
    threshold: rule.passThreshold,
    response: { ...response, model_weighted_score: reply.weighted_score },
    criteria: judged,
    confidence: reply.confidence,
    warnings: [...(warning ? [warning] : []), ...(reasoning ? [] : ['The judge gave no evidence for its scores'])],
  };
}

interface ScoreRange {
  readonly lowest: number;
  readonly highest: number;
  readonly passThreshold: number;
  readonly unproven: readonly string[];
  readonly discarded: string | undefined;
}

function decide(range: ScoreRange): Pick<JudgeConclusion, 'state' | 'reason' | 'score' | 'fault'> {
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
  { id, description }: RubricCriterion,
  rule: RubricRule,
  reply: RubricReply,
  shown: ShownTrace,
): JudgedCriterion {
  const reasoned = reply.reasoning?.find(({ criterion }) => criterion === id);
  const evidence = verifyEvidence(reasoned?.evidence ?? [], shown);
  const score = reply.scores[id] ?? 0;
  const needsEvidence = rule.evidence === 'required' && score > 0;
  const isTold = isProven(evidence) || (evidence.length === 0 && !needsEvidence);
  const answer = !isTold ? 'cannot-tell' : score >= rule.passThreshold ? 'met' : 'not-met';
  return { id, kind: 'weighted', text: description, answer, reason: reasoned?.reason ?? '', evidence, score };
}
