import type { Evidence, JudgedCriterion } from '../../../../../src/domain/judge-result.ts';
import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import type { TrialRecord } from '../../../../../src/domain/record.ts';
import {
  criterionState,
  isProblem,
  responseEvidence,
  type ShownCriterion,
  shownAssertions,
  shownCriteria,
} from '../findings/result-groups.ts';

type Gate = TrialRecord['gates'][number];

/** The findings that decided against a trial; the tables below leave them out, so each reason is read once. */
export interface Deciding {
  readonly results: readonly EvaluatorResult[];
  readonly gates: readonly Gate[];
  readonly criteria: readonly ShownCriterion[];
  readonly judged: readonly JudgedCriterion[];
  /** Passages behind a judge's answer that has no criteria. */
  readonly evidence: readonly Evidence[];
}

const nothing: Deciding = { results: [], gates: [], criteria: [], judged: [], evidence: [] };

/** Of a trial that passed, nothing decided against it. */
export function decidingFindings(record: TrialRecord): Deciding {
  const { criteria, judge, gates, outcome } = record;
  if (outcome === 'pass') return nothing;
  const failedCriteria = criteria ? shownCriteria(criteria).filter(({ isGood }) => !isGood) : [];
  const judged = (judge?.criteria ?? []).filter((each) => ['fail', 'error'].includes(criterionState(each)));
  const isAgainst = judge?.state === 'fail' || judge?.state === 'error';
  const evidence = isAgainst && judged.length === 0 ? responseEvidence(judge.response) : [];
  const reasons = new Set([
    ...(failedCriteria.length > 0 && criteria ? [criteria.summary.reason] : []),
    ...(judged.length > 0 && judge ? [judge.reason] : []),
  ]);
  return {
    results: shownAssertions(record).filter((result) => isProblem(result) && !reasons.has(result.reason)),
    gates: gates.filter(({ passed }) => !passed),
    criteria: failedCriteria,
    judged,
    evidence,
  };
}

/** A reason beside the headline; undefined where the headline has it already. */
export function besides(headline: string, reason: string): string | undefined {
  return headline.includes(reason) ? undefined : reason;
}

/** A text for comparing: JSON is written over several lines, so equal parts stand on equal lines. */
export function comparable(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
