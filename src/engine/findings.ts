import type { TrialFindings } from '../domain/record.ts';
import type { Answer } from '../score/evaluators/evaluator.ts';
import { type PreparedEvaluator, resultOf } from './prepared-evaluator.ts';

/** What the evaluators said of one trial. */
export type Evaluation = Pick<
  TrialFindings,
  | 'evaluatorResults'
  | 'metrics'
  | 'criteria'
  | 'judge'
  | 'interaction'
  | 'gates'
  | 'scripts'
  | 'turns'
  | 'toolHealth'
  | 'workflow'
>;

/** What is known of a trial before anybody was asked. */
export function nothingFound(): Evaluation {
  const nothing = { criteria: null, judge: null, interaction: null };
  const lists = { gates: [], scripts: [], turns: [], toolHealth: [], workflow: [] };
  return { evaluatorResults: [], metrics: {}, ...lists, ...nothing };
}

/** Adds one answer: its result, its numbers, and what belongs in well-known places. */
export function addAnswer(findings: Evaluation, part: PreparedEvaluator, answer: Answer, turn?: number): void {
  const result = resultOf(part, answer);
  findings.evaluatorResults.push(turn === undefined ? result : { ...result, turn });
  if (part.kind === 'metric') findings.metrics[part.metricName] = answer.state === 'measured' ? answer.value : null;
  addDetails(findings, answer);
}

function addDetails(findings: Evaluation, answer: Answer): void {
  if ('metrics' in answer && answer.metrics) Object.assign(findings.metrics, answer.metrics);
  if (!('findings' in answer) || !answer.findings) return;
  const { gates, scripts, toolHealth, workflow, ...single } = answer.findings;
  if (gates) findings.gates.push(...gates);
  if (scripts) findings.scripts.push(...scripts);
  if (toolHealth) findings.toolHealth.push(...toolHealth);
  if (workflow) findings.workflow.push(...workflow);
  Object.assign(findings, single);
}

/** What failed so far: a judge is told, and never overturns it. */
export function failuresIn({ evaluatorResults }: Pick<Evaluation, 'evaluatorResults'>): string[] {
  return evaluatorResults.flatMap(({ type, state, reason }) => (state === 'fail' ? [`${type}: ${reason}`] : []));
}
