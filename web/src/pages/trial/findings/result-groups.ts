import type { Evidence, JudgedCriterion } from '../../../../../src/domain/judge-result.ts';
import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { isRecord } from '../../../../../src/shared/json.ts';
import type { AnswerState } from './state-badge.tsx';

/** Gates are assertions too, and have their own table. */
export function isGateResult({ type, reason }: EvaluatorResult, gates: TrialRecord['gates']): boolean {
  return gates.some(({ gate_type, message }) => gate_type === type && message === reason);
}

/** Figures that no row of an evaluator and no other table shows. */
export function unnamedMetrics({ evaluatorResults, metrics, interaction }: TrialRecord): [string, number | null][] {
  const evaluators = evaluatorResults.filter(({ kind }) => kind === 'metric').map(({ name, type }) => name ?? type);
  const named = new Set([...evaluators, ...Object.keys(interaction ?? {})]);
  return Object.entries(metrics).filter(([name]) => !named.has(name));
}

/** A boolean criterion with what was expected of it. */
export interface ShownCriterion {
  readonly key: string;
  readonly criterion: string;
  readonly mustBe: boolean;
  readonly isGood: boolean;
  readonly explanation: string;
}

/** Pass criteria, which must hold, and fail criteria, which must not; those that decided against the trial first. */
export function shownCriteria(criteria: NonNullable<TrialRecord['criteria']>): ShownCriterion[] {
  const all = [
    ...criteria.passCriteriaEvaluation.details.map(({ criterion, result, explanation }, index) => ({
      key: `pass ${index + 1}`,
      criterion,
      mustBe: true,
      isGood: result,
      explanation,
    })),
    ...criteria.failCriteriaEvaluation.details.map(({ criterion, triggered, explanation }, index) => ({
      key: `fail ${index + 1}`,
      criterion,
      mustBe: false,
      isGood: !triggered,
      explanation,
    })),
  ];
  return [...all.filter(({ isGood }) => !isGood), ...all.filter(({ isGood }) => isGood)];
}

/** The state of a judged criterion. */
export function criterionState({ kind, answer }: JudgedCriterion): AnswerState {
  if (answer === 'cannot-tell') return 'error';
  if (kind === 'weighted') return 'measured';
  return (answer === 'met') === (kind === 'success') ? 'pass' : 'fail';
}

/** `2 passed, 1 not yet`, for the head of a turn. */
export function turnSummary(results: readonly EvaluatorResult[]): string {
  const words: Readonly<Record<AnswerState, string>> = {
    fail: 'failed',
    error: 'not judged',
    pass: 'passed',
    pending: 'not yet',
    measured: 'measured',
    'no-data': 'measured',
    skipped: 'skipped',
  };
  return Object.entries(words)
    .map(([state, word]) => ({ word, count: results.filter((result) => result.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => `${count} ${word}`)
    .join(', ');
}

/** The passages that an answer without criteria rests on, as scoring judges report them. */
export function responseEvidence(response: unknown): Evidence[] {
  const evidence = isRecord(response) && Array.isArray(response.evidence) ? response.evidence : [];
  return evidence.flatMap((item) => {
    if (!isRecord(item) || typeof item.event !== 'string' || typeof item.quote !== 'string') return [];
    return [{ event: item.event, quote: item.quote, isVerified: item.isVerified === true }];
  });
}
