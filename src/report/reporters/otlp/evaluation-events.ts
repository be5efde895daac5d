import type { EvaluatorResult } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { AttributeValues } from './attributes.ts';

interface Evaluation {
  readonly name: string;
  /** `pass`, `fail`, `error`, `skipped` or `pending`; none for a figure, which neither passes nor fails. */
  readonly label?: string | undefined;
  readonly value?: number | undefined;
  readonly explanation?: string | undefined;
  readonly errorType?: string | undefined;
  readonly more?: AttributeValues;
}

/** What was said of a trial, as attributes of `gen_ai.evaluation.result`: its outcome first. */
export function evaluationsOf(record: TrialRecord): AttributeValues[] {
  const { outcome, reason, fault, evaluatorResults, metrics, toolHealth } = record;
  const errorType = outcome === 'error' ? (fault?.code ?? '_OTHER') : undefined;
  const evaluations: Evaluation[] = [
    { name: 'outcome', label: outcome, value: scoreOf(outcome), explanation: reason, errorType },
    ...evaluatorResults.filter(isTold).map(evaluationOf),
    ...Object.entries(metrics).flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
    ...toolHealth.map(({ testName, toolName, state, score, details }) => ({
      name: testName,
      label: state,
      value: state === 'error' ? undefined : score,
      explanation: details,
      errorType: state === 'error' ? '_OTHER' : undefined,
      more: { 'gen_ai.tool.name': toolName },
    })),
  ];
  return evaluations.map(attributesOfEvaluation);
}

/** Figures are told by their own names, where they could be measured. */
function isTold({ kind, state }: EvaluatorResult): boolean {
  return kind === 'assertion' || state === 'error';
}

function evaluationOf({ type, kind, state, value, reason, turn, fault }: EvaluatorResult): Evaluation {
  return {
    name: type,
    label: state,
    value: kind === 'metric' || state === 'error' ? undefined : (value ?? scoreOf(state)),
    explanation: reason,
    errorType: state === 'error' ? (fault?.code ?? '_OTHER') : undefined,
    more: { 'assay.turn': turn },
  };
}

/** What could not be judged has no score. */
function scoreOf(state: string): number | undefined {
  return state === 'pass' ? 1 : state === 'fail' ? 0 : undefined;
}

function attributesOfEvaluation({ name, label, value, explanation, errorType, more }: Evaluation): AttributeValues {
  return {
    'gen_ai.evaluation.name': name,
    'gen_ai.evaluation.score.label': label,
    'gen_ai.evaluation.score.value': value === undefined ? undefined : { double: value },
    'gen_ai.evaluation.explanation': explanation,
    'error.type': errorType,
    ...more,
  };
}
