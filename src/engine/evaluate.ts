import { AssayError, asAssayError } from '../domain/errors.ts';
import { type EvaluatorResult, faultOf } from '../domain/outcome.ts';
import type { TrialFindings } from '../domain/record.ts';
import type { PartSpec } from '../domain/scenario.ts';
import type { Trial } from '../domain/trial.ts';
import type { Answer, Evaluate, EvaluationContext, Evaluator } from '../evaluators/evaluator.ts';
import type { Execution } from './execute.ts';

interface PreparedEvaluator {
  readonly evaluator: Evaluator;
  readonly evaluate: Evaluate;
  readonly metricName: string;
}

type Evaluation = Pick<TrialFindings, 'evaluatorResults' | 'metrics' | 'criteria'>;
type EvaluateTrial = (trial: Trial, execution: Execution) => Promise<Evaluation>;

/** Judges executions; evaluators are prepared once per config, however many trials share it. */
export function createEvaluate(evaluators: ReadonlyMap<string, Evaluator>): EvaluateTrial {
  const prepared = new WeakMap<PartSpec, PreparedEvaluator>();
  const prepare = (spec: PartSpec): PreparedEvaluator => {
    const known = prepared.get(spec) ?? prepareEvaluator(spec, evaluators);
    prepared.set(spec, known);
    return known;
  };
  return async (trial, execution) => {
    const findings: Evaluation = { evaluatorResults: [], metrics: {}, criteria: null };
    if (execution.fault) return findings;
    const context: EvaluationContext = { trial, trace: execution.trace };
    const parts = trial.case.evaluators.map(prepare);
    const answers = await Promise.all(parts.map((part) => answerOf(part, context)));
    for (const [index, part] of parts.entries()) addAnswer(findings, part, answers[index] as Answer);
    return findings;
  };
}

function prepareEvaluator(spec: PartSpec, evaluators: ReadonlyMap<string, Evaluator>): PreparedEvaluator {
  const evaluator = evaluators.get(spec.type);
  if (!evaluator) throw new AssayError('INTERNAL', `No evaluator "${spec.type}" is registered.`);
  return {
    evaluator,
    evaluate: evaluator.prepare(spec.config),
    metricName: evaluator.metricName?.(spec.config) ?? evaluator.type,
  };
}

/** An evaluator that throws gives a fault under its own name; it never takes the trial's other answers with it. */
async function answerOf(part: PreparedEvaluator, context: EvaluationContext): Promise<Answer> {
  try {
    return await part.evaluate(context);
  } catch (error) {
    return { state: 'error', error: asAssayError(error, 'EVALUATOR_FAILED') };
  }
}

function addAnswer(findings: Evaluation, part: PreparedEvaluator, answer: Answer): void {
  findings.evaluatorResults.push(resultOf(part.evaluator, answer));
  if (part.evaluator.kind === 'metric')
    findings.metrics[part.metricName] = answer.state === 'measured' ? answer.value : 0;
  if ('findings' in answer && answer.findings) Object.assign(findings, answer.findings);
}

function resultOf({ type, kind }: Evaluator, answer: Answer): EvaluatorResult {
  if (answer.state === 'error') {
    const fault = faultOf(answer.error);
    return kind === 'metric'
      ? { type, kind, state: 'error', success: true, value: 0, reason: fault.message, fault }
      : { type, kind, state: 'error', success: false, reason: fault.message, fault };
  }
  const success = answer.state !== 'fail';
  const result = { type, kind, state: answer.state, success, reason: answer.reason };
  return answer.value === undefined ? result : { ...result, value: answer.value };
}
