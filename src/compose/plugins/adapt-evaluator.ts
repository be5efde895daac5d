import { AssayError } from '../../domain/errors.ts';
import type { Message } from '../../domain/message.ts';
import type { When } from '../../domain/scenario.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { type Turn, turnsOf } from '../../domain/turn.ts';
import { caseFiller } from '../../drive/targets/conversation/case-filler.ts';
import type { ConversationConfig } from '../../drive/targets/conversation/conversation-config.ts';
import type { Answer, Evaluate, EvaluationContext, Evaluator } from '../../score/evaluators/evaluator.ts';
import { isRecord } from '../../shared/json.ts';
import type { EvaluatorContext, EvaluatorPlugin, LastInvocation } from './evaluator-plugin.ts';
import { foreignError, withinTimeLimit } from './foreign-calls.ts';
import { type CheckedConfig, checkedConfig } from './plugin-config.ts';

/** What a plug-in is shown of a trial: copies, so that nothing it does to them reaches the record. */
function evaluatorContext(shown: EvaluationContext, config: unknown): EvaluatorContext<unknown> {
  const { trial, trace, turn, isFinal, signal } = shown;
  const conversation = conversationOf(trial);
  const persona = conversation?.personas[trial.variant.persona ?? ''];
  return {
    messages: structuredClone(messagesOf(trial, trace)),
    config,
    scenario: {
      name: trial.scenario.name,
      instructions: conversation?.instructions,
      maxMessages: conversation?.maxMessages,
    },
    persona: persona && { name: persona.name, description: persona.description },
    lastInvocation: lastInvocation(turn),
    turn: turn?.number ?? 1,
    isFinal,
    input: structuredClone(trial.case.input),
    expected: structuredClone(trial.case.expected),
    signal,
  };
}

function conversationOf({ scenario: { target }, case: { input } }: Trial): ConversationConfig | undefined {
  return target.type === 'conversation' ? caseFiller(target.config as ConversationConfig)(input) : undefined;
}

function lastInvocation(turn: Turn | undefined): LastInvocation {
  if (!turn) return { latencyMs: undefined, messages: [] };
  const { latencyMs, tokenUsage } = turn;
  const answer = { latencyMs, messages: structuredClone([...turn.messages]) };
  if (!tokenUsage) return answer;
  const { input, output, total } = tokenUsage;
  return {
    ...answer,
    tokenUsage: { input, output, total },
    tokensUsage: { input_tokens: input, output_tokens: output, total_tokens: total },
  };
}

/** Everything that was said, in order: ours is in events, what the agent said is in its turns. */
function messagesOf(trial: Trial, trace: Trace): Message[] {
  if (eventsOf(trace, 'turn').length === 0) return [asked(trial, trace), ...turnsOf(trace).flatMap(saidIn)];
  return trace.flatMap((event): readonly Message[] => {
    if (event.type === 'turn') return event.messages;
    const isOurs = event.type === 'message' && event.seenBy === 'engine';
    return isOurs ? [{ role: event.role, content: event.text }] : [];
  });
}

/** A tool is asked with its input, an agent with words. */
function asked({ case: { input } }: Trial, trace: Trace): Message {
  const prompt = eventsOf(trace, 'message').find(({ role }) => role === 'user')?.text;
  return { role: 'user', content: prompt ?? (typeof input === 'string' ? input : (JSON.stringify(input) ?? '')) };
}

function saidIn({ messages }: Turn): readonly Message[] {
  return messages;
}

/** Asking a judge has limits of its own; this one is for an evaluator that never asks it or forgets its answer. */
const judgedLimitMs = 600_000;

const marginMs = 50;

type Simple = Exclude<EvaluatorPlugin, { prepare: unknown }>;
type Prepared = Extract<EvaluatorPlugin, { prepare: unknown }>;

/** The evaluator of a plug-in as the engine knows evaluators. It has as long as a trial to answer. */
export function adaptEvaluator(plugin: EvaluatorPlugin): Evaluator {
  const config = checkedConfig(plugin.configSchema);
  return 'prepare' in plugin ? adaptPrepared(plugin, config) : adaptSimple(plugin, config);
}

function adaptSimple(plugin: Simple, { schema, read }: CheckedConfig): Evaluator {
  const { type, label, description = label, kind } = plugin;
  const about = { type, label, summary: description, kind, needs: [], configSchema: schema };
  const prepare = (config: unknown): Evaluate => {
    const known = read(config);
    const evaluate: Evaluate = (context) => {
      const result: unknown = plugin.evaluate(evaluatorContext(context, known) as never);
      return isThenable(result)
        ? Promise.resolve(result).then((settled: unknown) => answerOf(settled, kind))
        : answerOf(result, kind);
    };
    return limited(evaluate, { isAskedOnTheWay: true });
  };
  if (plugin.kind === 'metric') return { ...about, prepare, aggregate: plugin.aggregate ?? 'last' };
  const { when = 'every-turn' } = plugin;
  return { ...about, prepare, when: (config) => (typeof when === 'function' ? when(read(config) as never) : when) };
}

function adaptPrepared(plugin: Prepared, { schema, read }: CheckedConfig): Evaluator {
  const { type, label, summary, kind, needs, aggregate } = plugin;
  const isAskedOnTheWay = plugin.when !== undefined || aggregate !== undefined;
  const limits = { isAskedOnTheWay, leastMs: needs.includes('judge') ? judgedLimitMs : 0 };
  return {
    ...{ type, label, summary, kind, needs, configSchema: schema },
    prepare: (config) => limited(plugin.prepare(read(config) as never), limits),
    ...(plugin.metricName && { metricName: (config) => plugin.metricName?.(read(config) as never) ?? type }),
    ...(plugin.when && { when: (config) => plugin.when?.(read(config) as never) as When }),
    ...(aggregate && { aggregate }),
  };
}

interface Limits {
  /** Whether it is asked while the conversation goes on, and so within the time limit of the trial. */
  readonly isAskedOnTheWay: boolean;
  readonly leastMs?: number;
}

/** `evaluate` with a limit on the time that it takes, and with errors that are ours. */
function limited(evaluate: Evaluate, limits: Limits): Evaluate {
  return (context: EvaluationContext) => {
    try {
      const answer = evaluate(context);
      if (!isThenable(answer)) return answer;
      return withinTimeLimit(answer, limitMs(context, limits), context.signal).catch(raise);
    } catch (thrown) {
      return raise(thrown);
    }
  };
}

/** On the way, a little less than what the trial has left: the agent should not be blamed for a slow evaluator. */
function limitMs({ trial, trace }: EvaluationContext, { isAskedOnTheWay, leastMs = 0 }: Limits): number {
  const { timeoutMs } = trial.scenario;
  const spentMs = trace.at(-1)?.at ?? 0;
  const isOnTheWay = isAskedOnTheWay && trace.some(({ type }) => type === 'turn');
  return isOnTheWay ? Math.max(1, timeoutMs - spentMs - marginMs) : Math.max(timeoutMs, leastMs);
}

function raise(thrown: unknown): never {
  throw foreignError(thrown, 'EVALUATOR_FAILED');
}

/** What a plug-in gives is looked at, because nothing but its author's care says that it is right. */
function answerOf(result: unknown, kind: Simple['kind']): Answer {
  if (!isRecord(result)) throw unusable('It gave no result', result);
  const { success, value, reason } = result;
  const metadata = keptMetadata(result.metadata);
  if (typeof reason !== 'string') throw unusable('The `reason` of its result must be a text', reason);
  const isFigure = typeof value === 'number' && Number.isFinite(value);
  if (kind === 'metric') {
    if (value === null) return { state: 'no-data', reason, ...metadata };
    if (!isFigure) throw unusable('The `value` of its result must be a number, or null for no data', value);
    return { state: 'measured', value, reason, ...metadata };
  }
  if (typeof success !== 'boolean') throw unusable('The `success` of its result must be true or false', success);
  if (value !== undefined && !isFigure) throw unusable('The `value` of its result must be a number', value);
  return { state: success ? 'pass' : 'fail', reason, ...(isFigure && { value }), ...metadata };
}

const longestMetadata = 64 * 1024;

/** A copy that can be stored; what cannot, or would fill the store, is refused. */
function keptMetadata(given: unknown): { readonly metadata?: Record<string, unknown> } {
  if (given === undefined || given === null) return {};
  const text = isRecord(given) ? jsonText(given) : undefined;
  if (text === undefined) throw unusable('The `metadata` of its result must be an object of JSON values', given);
  if (text.length <= longestMetadata) return { metadata: JSON.parse(text) };
  throw unusable(`The \`metadata\` of its result may have ${longestMetadata} characters of JSON`, text.length);
}

function jsonText(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function unusable(rule: string, given: unknown): AssayError {
  return new AssayError('EVALUATOR_FAILED', `${rule}; it is ${inWords(given)}.`);
}

function inWords(value: unknown): string {
  if (typeof value === 'string') return 'a text';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}
