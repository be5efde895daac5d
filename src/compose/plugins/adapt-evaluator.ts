import { AssayError } from '../../domain/errors.ts';
import type { Message } from '../../domain/message.ts';
import { messagesOf } from '../../domain/messages-of-trace.ts';
import type { When } from '../../domain/scenario.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { type Turn, turnsOf } from '../../domain/turn.ts';
import { tokenCounts } from '../../domain/usage.ts';
import { configOfCase } from '../../drive/conversation/case-filler.ts';
import type { ConversationConfig } from '../../drive/conversation/conversation-config.ts';
import {
  type Answer,
  declaredReads,
  type Evaluate,
  type EvaluationContext,
  type Evaluator,
  everythingReported,
  type Reads,
} from '../../score/evaluators/evaluator.ts';
import { isRecord } from '../../shared/json.ts';
import type { EvaluatorContext, EvaluatorPlugin, LastInvocation } from './evaluator-plugin.ts';
import { foreignError, withinTimeLimit } from './foreign-calls.ts';
import { type CheckedConfig, checkedConfig } from './plugin-config.ts';

/** Calls of a judge have their own limits; this one ends an evaluator that never calls it or drops its answer. */
const judgedLimitMs = 600_000;

const marginMs = 50;

type Simple = Exclude<EvaluatorPlugin, { prepare: unknown }>;
type Prepared = Extract<EvaluatorPlugin, { prepare: unknown }>;

/** Turns the evaluator of a plug-in into an evaluator, with the time limit of its trial. */
export function adaptEvaluator(plugin: EvaluatorPlugin): Evaluator {
  const config = checkedConfig(plugin.configSchema);
  return 'prepare' in plugin ? adaptPrepared(plugin, config) : adaptSimple(plugin, config);
}

function adaptSimple(plugin: Simple, { schema, read }: CheckedConfig): Evaluator {
  const { type, label, description = label, kind } = plugin;
  const reads = pluginReads(type, plugin.reads ?? everythingReported, read);
  const about = { type, label, summary: description, kind, needs: [], reads, configSchema: schema };
  const prepare = (config: unknown): Evaluate => {
    const checked = read(config);
    const evaluate: Evaluate = (context) => {
      const result: unknown = plugin.evaluate(evaluatorContext(context, checked) as never);
      return isThenable(result)
        ? Promise.resolve(result).then((settled: unknown) => answerOf(settled, kind))
        : answerOf(result, kind);
    };
    return limited(evaluate, { runsDuringConversation: true });
  };
  if (plugin.kind === 'metric') return { ...about, prepare, aggregate: plugin.aggregate ?? 'last' };
  const { when = 'every-turn' } = plugin;
  return { ...about, prepare, when: (config) => (typeof when === 'function' ? when(read(config) as never) : when) };
}

function adaptPrepared(plugin: Prepared, { schema, read }: CheckedConfig): Evaluator {
  const { type, label, summary, kind, needs, aggregate } = plugin;
  const runsDuringConversation = plugin.when !== undefined || aggregate !== undefined;
  const limits = { runsDuringConversation, leastMs: needs.includes('judge') ? judgedLimitMs : 0 };
  return {
    ...{ type, label, summary, kind, needs, configSchema: schema },
    reads: pluginReads(type, plugin.reads, read),
    prepare: (config) => limited(plugin.prepare(read(config) as never), limits),
    ...(plugin.metricName && { metricName: (config) => plugin.metricName?.(read(config) as never) ?? type }),
    ...(plugin.when && { when: (config) => plugin.when?.(read(config) as never) as When }),
    ...(aggregate && { aggregate }),
  };
}

function pluginReads(
  type: string,
  reads: Reads | ((config: never) => Reads),
  read: CheckedConfig['read'],
): Evaluator['reads'] {
  const declared = declaredReads(type, reads);
  return (config) => declared(read(config) as never);
}

interface Limits {
  /** Whether it runs while the conversation goes on, and so within the time limit of the trial. */
  readonly runsDuringConversation: boolean;
  readonly leastMs?: number;
}

/** `evaluate` with a time limit and with Assay errors. */
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

/** During the conversation, a little less than the rest of the trial's time: a slow evaluator is not the agent's fault. */
function limitMs({ trial, trace }: EvaluationContext, { runsDuringConversation, leastMs = 0 }: Limits): number {
  const { timeoutMs } = trial.scenario;
  const spentMs = trace.at(-1)?.at ?? 0;
  const isDuringConversation = runsDuringConversation && trace.some(({ type }) => type === 'turn');
  return isDuringConversation ? Math.max(1, timeoutMs - spentMs - marginMs) : Math.max(timeoutMs, leastMs);
}

function raise(thrown: unknown): never {
  throw foreignError(thrown, 'EVALUATOR_FAILED');
}

/** Results of plug-ins are checked, because types do not hold at run time. */
function answerOf(result: unknown, kind: Simple['kind']): Answer {
  if (!isRecord(result)) throw unusable('Its result must be an object', result);
  const { success, value, reason } = result;
  const metadata = keptMetadata(result.metadata);
  if (typeof reason !== 'string') throw unusable('The `reason` of its result must be text', reason);
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

/** A copy that can be stored; values that are too large or not JSON are refused. */
function keptMetadata(given: unknown): { readonly metadata?: Record<string, unknown> } {
  if (given === undefined || given === null) return {};
  const text = isRecord(given) ? jsonText(given) : undefined;
  if (text === undefined) throw unusable('The `metadata` of its result must be an object of JSON values', given);
  if (text.length <= longestMetadata) return { metadata: JSON.parse(text) };
  throw unusable(`The \`metadata\` of its result must have at most ${longestMetadata} characters of JSON`, text.length);
}

function jsonText(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function unusable(rule: string, given: unknown): AssayError {
  return new AssayError('EVALUATOR_FAILED', `${rule}, not ${inWords(given)}.`);
}

function inWords(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

/** The view of a trial that a plug-in gets: copies, so its changes never reach the record. */
function evaluatorContext(context: EvaluationContext, config: unknown): EvaluatorContext<unknown> {
  const { trial, trace, turn, isFinal, signal } = context;
  const conversation = conversationOf(trial);
  const persona = conversation?.personas[trial.variant.persona ?? ''];
  return {
    messages: structuredClone([...allMessages(trial, trace)]),
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
  return target.type === 'conversation' ? configOfCase(target.config as ConversationConfig, input) : undefined;
}

function lastInvocation(turn: Turn | undefined): LastInvocation {
  if (!turn) return { latencyMs: undefined, messages: [] };
  const { latencyMs, usage } = turn;
  const answer = { latencyMs, messages: structuredClone([...turn.messages]) };
  if (!usage) return answer;
  const { input, output, total } = tokenCounts(usage);
  return {
    ...answer,
    tokenUsage: { input, output, total },
    tokensUsage: { input_tokens: input, output_tokens: output, total_tokens: total },
  };
}

function allMessages(trial: Trial, trace: Trace): readonly Message[] {
  if (eventsOf(trace, 'turn').length > 0) return messagesOf(trace);
  return [userMessage(trial, trace), ...turnsOf(trace).flatMap(({ messages }) => messages)];
}

/** The prompt, or the input of a tool that is called directly. */
function userMessage({ case: { input } }: Trial, trace: Trace): Message {
  const prompt = eventsOf(trace, 'message').find(({ role }) => role === 'user')?.text;
  return { role: 'user', content: prompt ?? (typeof input === 'string' ? input : (JSON.stringify(input) ?? '')) };
}
