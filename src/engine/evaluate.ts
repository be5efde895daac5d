import { AssayError, asAssayError } from '../domain/errors.ts';
import { type EvaluatorResult, faultOf } from '../domain/outcome.ts';
import type { TrialFindings } from '../domain/record.ts';
import type { PartSpec } from '../domain/scenario.ts';
import { lastAnswer } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import type { Answer, Evaluate, EvaluationContext, Evaluator, EvaluatorKind } from '../evaluators/evaluator.ts';
import type { Judging } from '../judge/judging.ts';
import type { Execution } from './execute.ts';

interface PreparedEvaluator {
  readonly type: string;
  readonly kind: EvaluatorKind;
  readonly needsAnswer: boolean;
  readonly needsJudge: boolean;
  readonly needsWorkspace: boolean;
  readonly evaluate: Evaluate;
  readonly metricName: string;
}

/** What is computed is asked first, then what looks at the work left behind, then the judge. */
interface PreparedEvaluators {
  readonly certain: readonly PreparedEvaluator[];
  /** One after the other, in the order of the file: their commands share a work directory. */
  readonly inTurn: readonly PreparedEvaluator[];
  readonly judges: readonly PreparedEvaluator[];
}

/** What the evaluators said of one trial. */
export type Evaluation = Pick<
  TrialFindings,
  'evaluatorResults' | 'metrics' | 'criteria' | 'judge' | 'interaction' | 'gates' | 'scripts'
>;
type EvaluateTrial = (trial: Trial, execution: Execution) => Promise<Evaluation>;

/** Judges executions; evaluators are prepared once per config, however many trials share it. */
export function createEvaluate(
  evaluators: ReadonlyMap<string, Evaluator>,
  judging: Judging,
  signal: AbortSignal,
): EvaluateTrial {
  const prepared = new WeakMap<readonly PartSpec[], PreparedEvaluators>();
  const prepareAll = (specs: readonly PartSpec[]): PreparedEvaluators => {
    const known = prepared.get(specs) ?? inOrder(specs.map((spec) => prepareEvaluator(spec, evaluators)));
    prepared.set(specs, known);
    return known;
  };
  return async (trial, execution) => {
    const findings = nothingFound();
    if (execution.fault) return findings;
    const { certain, inTurn, judges } = prepareAll(trial.case.evaluators);
    const { trace, workspace } = execution;
    const context: EvaluationContext = { trial, trace, workspace, failures: [], judging, signal };
    await addAnswers(findings, certain, context);
    for (const part of inTurn) await addAnswers(findings, [part], context);
    if (judges.length > 0) await addAnswers(findings, judges, { ...context, failures: failuresIn(findings) });
    return findings;
  };
}

function nothingFound(): Evaluation {
  const nothing = { criteria: null, judge: null, interaction: null };
  return { evaluatorResults: [], metrics: {}, gates: [], scripts: [], ...nothing };
}

function inOrder(parts: readonly PreparedEvaluator[]): PreparedEvaluators {
  return {
    certain: parts.filter((part) => !part.needsJudge && !part.needsWorkspace),
    inTurn: parts.filter((part) => !part.needsJudge && part.needsWorkspace),
    judges: parts.filter((part) => part.needsJudge),
  };
}

/** What is cheap and certain is asked first: a judge is told what failed, and never overturns it. */
function failuresIn({ evaluatorResults }: Evaluation): string[] {
  return evaluatorResults.flatMap(({ type, state, reason }) => (state === 'fail' ? [`${type}: ${reason}`] : []));
}

async function addAnswers(
  findings: Evaluation,
  parts: readonly PreparedEvaluator[],
  context: EvaluationContext,
): Promise<void> {
  const asked = parts.map((part) => answerOf(part, context));
  // Most evaluators answer at once, and waiting for them would cost more than asking them.
  const answers = asked.some((answer) => answer instanceof Promise) ? await Promise.all(asked) : (asked as Answer[]);
  for (const [index, part] of parts.entries()) addAnswer(findings, part, answers[index] as Answer);
}

/** One that cannot be prepared gives its fault for every trial that asks for it. */
function prepareEvaluator({ type, config }: PartSpec, evaluators: ReadonlyMap<string, Evaluator>): PreparedEvaluator {
  const evaluator = evaluators.get(type);
  if (!evaluator) throw new AssayError('INTERNAL', `No evaluator "${type}" is registered.`);
  const { kind, needs } = evaluator;
  const known = {
    type,
    kind,
    needsAnswer: needs.includes('call-answer'),
    needsJudge: needs.includes('judge'),
    needsWorkspace: needs.includes('workspace'),
  };
  try {
    const metricName = evaluator.metricName?.(config) ?? type;
    return { ...known, metricName, evaluate: evaluator.prepare(config) };
  } catch (error) {
    return { ...known, metricName: type, evaluate: () => broken(error) };
  }
}

/** An evaluator that throws gives a fault under its own name; it never takes the trial's other answers with it. */
function answerOf(part: PreparedEvaluator, context: EvaluationContext): Answer | Promise<Answer> {
  try {
    if (part.needsAnswer && !lastAnswer(context.trace)) return broken('The tool gave no answer that could be judged.');
    if (part.needsWorkspace && !context.workspace) return broken('The target left no work directory behind.');
    const answer = part.evaluate(context);
    if (!isThenable(answer)) return checked(answer, part.kind);
    return Promise.resolve(answer)
      .then((settled) => checked(settled, part.kind))
      .catch(broken);
  } catch (error) {
    return broken(error);
  }
}

function isThenable(value: unknown): value is PromiseLike<Answer> {
  return typeof (value as { readonly then?: unknown } | undefined)?.then === 'function';
}

/** Evaluators may come from elsewhere, so what they give is looked at before it is kept. */
function checked(answer: Answer | undefined, kind: EvaluatorKind): Answer {
  if (answer?.state === 'error') return { ...answer, error: asAssayError(answer.error, 'EVALUATOR_FAILED') };
  if (answer?.state === 'skipped') return kind === 'assertion' ? answer : broken('A metric cannot be skipped.');
  const possible = kind === 'metric' ? ['measured'] : ['pass', 'fail'];
  if (!answer || !possible.includes(answer.state)) return broken(`It gave neither ${possible.join(' nor ')}.`);
  const isKept = answer.value === undefined ? kind === 'assertion' : Number.isFinite(answer.value);
  return isKept ? answer : broken(`Its value is ${answer.value}, which is not a number that can be kept.`);
}

function broken(thrown: unknown): Answer {
  return { state: 'error', error: asAssayError(thrown, 'EVALUATOR_FAILED') };
}

function addAnswer(findings: Evaluation, part: PreparedEvaluator, answer: Answer): void {
  findings.evaluatorResults.push(resultOf(part, answer));
  if (part.kind === 'metric') findings.metrics[part.metricName] = answer.state === 'measured' ? answer.value : 0;
  if (answer.state === 'measured' && answer.metrics) Object.assign(findings.metrics, answer.metrics);
  if (!('findings' in answer) || !answer.findings) return;
  const { gates, scripts, ...single } = answer.findings;
  if (gates) findings.gates.push(...gates);
  if (scripts) findings.scripts.push(...scripts);
  Object.assign(findings, single);
}

function resultOf({ type, kind }: PreparedEvaluator, answer: Answer): EvaluatorResult {
  if (answer.state === 'error') {
    const fault = faultOf(answer.error);
    return kind === 'metric'
      ? { type, kind, state: 'error', success: true, value: 0, reason: fault.message, fault }
      : { type, kind, state: 'error', success: false, reason: fault.message, fault };
  }
  if (answer.state === 'skipped') return { type, kind, state: 'skipped', success: true, reason: answer.reason };
  const success = answer.state !== 'fail';
  const result = { type, kind, state: answer.state, success, reason: answer.reason };
  return answer.value === undefined ? result : { ...result, value: answer.value };
}
