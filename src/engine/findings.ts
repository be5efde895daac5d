import { addFindings, noFindings, type StructuredFindings } from '../domain/findings.ts';
import type { TrialFindings } from '../domain/record.ts';
import type { Answer } from '../score/evaluators/evaluator.ts';
import { type PreparedEvaluator, resultOf } from './prepared-evaluator.ts';

/** The results of all evaluators of one trial. */
export type Evaluation = StructuredFindings & Pick<TrialFindings, 'evaluatorResults' | 'metrics' | 'turns'>;

/** The evaluation of a trial before any evaluator has run. */
export function emptyEvaluation(): Evaluation {
  return { evaluatorResults: [], metrics: {}, turns: [], ...noFindings() };
}

/** Adds one answer: its result, its metrics and its structured findings. */
export function addAnswer(findings: Evaluation, part: PreparedEvaluator, answer: Answer, turn?: number): void {
  findings.evaluatorResults.push(resultOf(part, answer, turn));
  if (part.kind === 'metric') findings.metrics[part.metricName] = answer.state === 'measured' ? answer.value : null;
  if ('metrics' in answer && answer.metrics) Object.assign(findings.metrics, underItsName(part, answer.metrics));
  if ('findings' in answer && answer.findings) addFindings(findings, answer.findings);
}

/** Reasons of the assertions that failed so far: a judge is shown them, and never overturns them. */
export function failuresIn({ evaluatorResults }: Pick<Evaluation, 'evaluatorResults'>): string[] {
  return evaluatorResults.flatMap(({ type, state, reason, isPart }) =>
    state === 'fail' && !isPart ? [`${type}: ${reason}`] : [],
  );
}

/** Further figures of a metric whose name another has too, so neither overwrites those of the other. */
function underItsName({ metricName, ownName }: PreparedEvaluator, figures: Readonly<Record<string, number | null>>) {
  if (metricName === ownName) return figures;
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [
      name.startsWith(`${ownName}.`) ? `${metricName}${name.slice(ownName.length)}` : name,
      value,
    ]),
  );
}

/** Whether an assertion held, so the trial has a verdict without those that are still to come. */
export function hasVerdict({ evaluatorResults }: Pick<Evaluation, 'evaluatorResults'>): boolean {
  return evaluatorResults.some(({ kind, state, isPart }) => kind === 'assertion' && state === 'pass' && !isPart);
}
