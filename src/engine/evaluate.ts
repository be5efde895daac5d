import { AssayError, asAssayError } from '../domain/errors.ts';
import { type EvaluatorResult, faultOf } from '../domain/outcome.ts';
import type { TrialFindings } from '../domain/record.ts';
import type { PartSpec } from '../domain/scenario.ts';
import type { Trial } from '../domain/trial.ts';
import type { Answer, Evaluate, EvaluationContext, Evaluator, EvaluatorKind } from '../evaluators/evaluator.ts';
import type { Execution } from './execute.ts';

interface PreparedEvaluator {
  readonly type: string;
  readonly kind: EvaluatorKind;
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

/** One that cannot be prepared gives its fault for every trial that asks for it. */
function prepareEvaluator({ type, config }: PartSpec, evaluators: ReadonlyMap<string, Evaluator>): PreparedEvaluator {
  const evaluator = evaluators.get(type);
  if (!evaluator) throw new AssayError('INTERNAL', `No evaluator "${type}" is registered.`);
  const { kind } = evaluator;
  try {
    const metricName = evaluator.metricName?.(config) ?? type;
    return { type, kind, metricName, evaluate: evaluator.prepare(config) };
  } catch (error) {
    return { type, kind, metricName: type, evaluate: () => broken(error) };
  }
}

/** An evaluator that throws gives a fault under its own name; it never takes the trial's other answers with it. */
async function answerOf({ kind, evaluate }: PreparedEvaluator, context: EvaluationContext): Promise<Answer> {
  try {
    const answer: Answer | undefined = await evaluate(context);
    const isOfKind =
      kind === 'metric' ? answer?.state === 'measured' : answer?.state === 'pass' || answer?.state === 'fail';
    if (answer?.state === 'error') return { ...answer, error: asAssayError(answer.error, 'EVALUATOR_FAILED') };
    if (!answer || !isOfKind)
      return broken(`It gave no answer that ${kind === 'metric' ? 'a metric' : 'an assertion'} can give.`);
    if (answer.value !== undefined && !Number.isFinite(answer.value))
      return broken(`It measured ${answer.value}, which is not a number that can be kept.`);
    return answer;
  } catch (error) {
    return broken(error);
  }
}

function broken(thrown: unknown): Answer {
  return { state: 'error', error: asAssayError(thrown, 'EVALUATOR_FAILED') };
}

function addAnswer(findings: Evaluation, part: PreparedEvaluator, answer: Answer): void {
  findings.evaluatorResults.push(resultOf(part, answer));
  if (part.kind === 'metric') findings.metrics[part.metricName] = answer.state === 'measured' ? answer.value : 0;
  if ('findings' in answer && answer.findings) Object.assign(findings, answer.findings);
}

function resultOf({ type, kind }: PreparedEvaluator, answer: Answer): EvaluatorResult {
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
