import type { Channel } from '../domain/capability.ts';
import { AssayError, asAssayError } from '../domain/errors.ts';
import { type EvaluatorResult, faultOf } from '../domain/outcome.ts';
import type { PartSpec, When } from '../domain/scenario.ts';
import { lastAnswer } from '../domain/trace.ts';
import {
  type Aggregate,
  type Answer,
  allParts,
  type Evaluate,
  type EvaluationContext,
  type Evaluator,
  type EvaluatorKind,
  judgeParts,
  type Reads,
} from '../score/evaluators/evaluator.ts';
import { JointJudging } from '../score/judge/joint-judging.ts';
import { coveredAnswer, refusedByCoverage, refusedName, withRead } from './covered-answer.ts';
import { contextOfTurn, namedByTurn } from './one-turn.ts';
import { withJudging, withReads } from './trial-context.ts';

/** An evaluator with its config, ready for any number of trials. */
export interface PreparedEvaluator {
  readonly type: string;
  /** By which expressions name it, where its type is not enough. */
  readonly id: string | undefined;
  readonly kind: EvaluatorKind;
  readonly runsLast: boolean;
  /** The others that it decides about. */
  readonly decidesAbout: readonly string[];
  /** Whether it counts only through another that decides about it. */
  readonly isPart: boolean;
  readonly needsAnswer: boolean;
  readonly needsJudge: boolean;
  readonly sharesJudge: boolean;
  readonly needsWorkspace: boolean;
  /** Also the files themselves, not only the trace of the work. */
  readonly needsFiles: boolean;
  readonly reads: Reads;
  readonly evaluate: Evaluate;
  /** Under which its number is kept; no two of a scenario have the same. */
  readonly metricName: string;
  /** Under which the evaluator itself names its figures: the same, unless another of the scenario has it. */
  readonly ownName: string;
  readonly metricLabel: string | undefined;
  /** Undefined for one that runs once, at the end. */
  readonly when: When | undefined;
  /** The only answer of a conversation that it looks at; undefined for one that looks at all. */
  readonly turn: number | undefined;
  readonly aggregate: Aggregate | undefined;
}

/** One that cannot be prepared gives its fault for every trial that uses it. */
export function prepareEvaluator(spec: PartSpec, evaluators: ReadonlyMap<string, Evaluator>): PreparedEvaluator {
  const { type, config } = spec;
  const evaluator = evaluators.get(type);
  if (!evaluator) throw new AssayError('INTERNAL', `No evaluator "${type}" is registered.`);
  const { kind, needs, aggregate } = evaluator;
  const traits = {
    type,
    id: spec.id,
    kind,
    runsLast: evaluator.runsLast === true,
    isPart: false,
    needsAnswer: needs.includes('call-answer'),
    needsJudge: needs.includes('judge'),
    sharesJudge: evaluator.sharesJudge === true,
    needsWorkspace: needs.includes('workspace'),
    needsFiles: needs.includes('workspace') && !evaluator.readsTraceOnly,
    turn: spec.turn,
    aggregate,
  };
  try {
    const metricName = evaluator.metricName?.(config) ?? type;
    const when = evaluator.when && (spec.when ?? evaluator.when(config));
    const metricLabel = evaluator.metricLabel?.(config);
    const decidesAbout = evaluator.partsIn?.(config) ?? [];
    return {
      ...traits,
      decidesAbout,
      metricName,
      ownName: metricName,
      metricLabel,
      when,
      reads: evaluator.reads(config),
      evaluate: evaluator.prepare(config),
    };
  } catch (error) {
    const unnamed = {
      metricName: type,
      ownName: type,
      metricLabel: undefined,
      decidesAbout: [],
      reads: { channels: {} },
    };
    return { ...traits, ...unnamed, when: spec.when, evaluate: () => broken(error) };
  }
}

/** Evaluators with names for their figures that no other has: by what their configs want, else by number. */
export function withUniqueNames(parts: readonly PreparedEvaluator[]): readonly PreparedEvaluator[] {
  const isShared = (name: string): boolean => parts.filter(({ metricName }) => metricName === name).length > 1;
  const taken = new Set<string>();
  return parts.map((part) => {
    if (part.kind !== 'metric') return part;
    const { metricName: name, metricLabel: label } = part;
    const wanted = label !== undefined && isShared(name) ? `${name}:${label}` : name;
    let metricName = wanted;
    for (let number = 2; taken.has(metricName); number++) metricName = `${wanted}:${number}`;
    taken.add(metricName);
    return { ...part, metricName };
  });
}

/** Evaluators with a mark on those that count only through one that decides about them. */
export function withParts(parts: readonly PreparedEvaluator[]): readonly PreparedEvaluator[] {
  const named = new Set(parts.flatMap(({ decidesAbout }) => decidesAbout));
  if (named.size === 0) return parts;
  return parts.map((part) => {
    const isMeant = (part.needsJudge && named.has(judgeParts)) || (!part.runsLast && named.has(allParts));
    return (isMeant || named.has(part.id ?? part.type)) && part.kind === 'assertion' ? { ...part, isPart: true } : part;
  });
}

/** Runs evaluators side by side; most answer at once, and awaiting them would cost more than running them. */
export function evaluateAll(
  parts: readonly PreparedEvaluator[],
  context: EvaluationContext,
): readonly Answer[] | Promise<readonly Answer[]> {
  const sharing = parts.length > 1 ? parts.filter((part) => part.sharesJudge && part.turn === undefined) : [];
  const joint = sharing.length > 1 ? new JointJudging(sharing.length, () => context.judging) : undefined;
  const answers = parts.map((part) => {
    if (part.turn !== undefined) return answerInTurn(part, part.turn, context);
    const place = joint ? sharing.indexOf(part) : -1;
    return joint && place >= 0 ? answerJointly(part, context, joint.member(place)) : answerOf(part, context);
  });
  return answers.some((answer) => answer instanceof Promise) ? Promise.all(answers) : (answers as Answer[]);
}

/** One that asks nothing, for whatever reason, does not hold up the others. */
async function answerJointly(
  part: PreparedEvaluator,
  context: EvaluationContext,
  { judging, leave }: ReturnType<JointJudging['member']>,
): Promise<Answer> {
  try {
    return await answerOf(part, withJudging(context, judging));
  } finally {
    leave();
  }
}

/** The answer about one turn, with the turn in its reason: reasons are shown in every report. */
function answerInTurn(part: PreparedEvaluator, turn: number, context: EvaluationContext): Answer | Promise<Answer> {
  const named = (answer: Answer): Answer => namedByTurn(turn, answer);
  const narrowed = contextOfTurn(context, turn);
  const answer = narrowed instanceof AssayError ? broken(narrowed) : answerOf(part, narrowed);
  return answer instanceof Promise ? answer.then(named) : named(answer);
}

/** An evaluator that throws gives a fault under its own name; it never takes the trial's other answers with it. */
function answerOf(part: PreparedEvaluator, context: EvaluationContext): Answer | Promise<Answer> {
  try {
    if (part.needsAnswer && !lastAnswer(context.trace)) return broken('The tool gave no answer that could be judged.');
    if (part.needsFiles && !context.workspace)
      return broken(context.workspaceFault ?? 'The target left no work directory.');
    const refusal = refusedBefore(part, context);
    if (refusal) return broken(refusal);
    const read = part.reads.whereRead && new Set<Channel>();
    const answer = evaluated(part, read ? withReads(context, (channel) => read.add(channel)) : context);
    const covered = (settled: Answer | undefined): Answer =>
      coveredAnswer(checked(settled, part.kind), part.kind, withRead(part.reads, read), context.trace);
    return isThenable(answer) ? Promise.resolve(answer).catch(broken).then(covered).catch(broken) : covered(answer);
  } catch (error) {
    return broken(error);
  }
}

function evaluated({ evaluate }: PreparedEvaluator, context: EvaluationContext): ReturnType<Evaluate> {
  try {
    return evaluate(context);
  } catch (error) {
    return broken(error);
  }
}

/** Why nothing need be evaluated: a name that nothing has, or a judge that would be shown less than there was. */
function refusedBefore({ reads, needsJudge }: PreparedEvaluator, { trace }: EvaluationContext): AssayError | undefined {
  return refusedName(reads, trace) ?? (needsJudge ? refusedByCoverage(reads, trace) : undefined);
}

function isThenable(value: unknown): value is PromiseLike<Answer> {
  return typeof (value as { readonly then?: unknown } | undefined)?.then === 'function';
}

/** Evaluators may come from elsewhere, so what they give is looked at before it is kept. */
function checked(answer: Answer | undefined, kind: EvaluatorKind): Answer {
  if (answer?.state === 'error') return { ...answer, error: asAssayError(answer.error, 'EVALUATOR_FAILED') };
  if (answer?.state === 'skipped') return kind === 'assertion' ? answer : broken('A metric cannot be skipped.');
  if (answer?.state === 'no-data') return kind === 'metric' ? answer : broken('An assertion cannot be without data.');
  const possible = kind === 'metric' ? ['measured'] : ['pass', 'fail'];
  if (!answer || !possible.includes(answer.state)) return broken(`It gave neither ${possible.join(' nor ')}.`);
  const isKept = answer.value === undefined ? kind === 'assertion' : Number.isFinite(answer.value);
  return isKept ? answer : broken(`Its value is ${answer.value}, which is not a finite number.`);
}

function broken(thrown: unknown): Answer {
  return { state: 'error', error: asAssayError(thrown, 'EVALUATOR_FAILED') };
}

type ResultSource = Pick<PreparedEvaluator, 'type' | 'id' | 'kind' | 'metricName' | 'isPart'>;

/** An answer as the record keeps it, with the turn of a conversation that decided. */
export function resultOf(part: ResultSource, answer: Answer, turn?: number): EvaluatorResult {
  const { type, id, kind, isPart, metricName } = part;
  const fault = answer.state === 'error' ? faultOf(answer.error) : undefined;
  const value = recordedValue(answer, kind);
  // Field by field, because this runs for every result, and copies of objects are slow.
  const result: Partial<EvaluatorResult> = { type };
  if (id !== undefined) result.id = id;
  if (kind === 'metric' && metricName !== type) result.name = metricName;
  result.kind = kind;
  if (isPart) result.isPart = true;
  result.state = answer.state;
  result.success = kind === 'metric' || (answer.state !== 'fail' && answer.state !== 'error');
  if (value !== undefined) result.value = value;
  result.reason = answer.state === 'error' ? answer.error.message : answer.reason;
  if ('metadata' in answer && answer.metadata) result.metadata = answer.metadata;
  if (fault) result.fault = fault;
  if (turn !== undefined) result.turn = turn;
  if ('voids' in answer && answer.voids) result.voids = faultOf(answer.voids);
  return result as EvaluatorResult;
}

/** Readers of the first description of a metric without data find a number here; `metrics` has none. */
function recordedValue(answer: Answer, kind: EvaluatorKind): number | undefined {
  if (answer.state === 'no-data') return 0;
  if (answer.state === 'error') return kind === 'metric' ? 0 : undefined;
  return answer.state === 'skipped' ? undefined : answer.value;
}
