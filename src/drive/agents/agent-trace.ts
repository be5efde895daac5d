import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../domain/capability.ts';
import type { EmitTrace, TraceEventOf, UnstampedEvent } from '../../domain/trace.ts';
import { type ReportedUsage, readUsage, totalTokensOf, type Usage } from '../../domain/usage.ts';
import { isCutShort } from '../wire/finish.ts';
import { numberOf } from './json-shapes.ts';

type EventFields<Type extends UnstampedEvent['type']> = Omit<TraceEventOf<Type>, 'type' | 'at' | 'seenBy'>;

/** A call as an agent reports it: what it should name may be missing. */
interface ReportedCall extends Omit<EventFields<'tool-call'>, 'callId' | 'tool'> {
  readonly callId: string | undefined;
  readonly tool: string | undefined;
}

interface ReportedResult extends Omit<EventFields<'tool-result'>, 'durationMs' | 'callId'> {
  readonly callId: string | undefined;
  /** As the agent reports it; otherwise the time since the call was emitted. */
  readonly durationMs?: number | undefined;
}

/** Tokens as an agent reports them, of one request or of several. */
interface ReportedTokens extends ReportedUsage {
  readonly model?: string | undefined;
  readonly costUsd?: unknown;
}

/** The sub-agent that made a call, and the call that started it; both absent for the main agent. */
export type SubagentCall = Pick<TraceEventOf<'tool-call'>, 'actor' | 'parentCallId'>;

/** For a sub-agent whose name the agent does not report. */
export const unnamedSubagent = 'sub-agent';

/** No session of an agent has a thousandth of this; a larger amount is a mistake. */
const mostUsd = 1e7;

export const ofUsage: readonly Channel[] = ['usage', 'cost'];
/** A lost part of an agent's work could have been any of these. */
export const ofWork: readonly Channel[] = ['answers', 'tool-calls', 'tool-results'];
/** The channels that an agent's own report fills. */
export const ofAgents: readonly Channel[] = [...ofWork, ...ofUsage];
/** Channels that the rest of a reply could have held. */
const ofReplies: readonly Channel[] = ['answers', 'tool-calls'];

/** Further losses of one kind are not listed. */
const mostGaps = 50;

/**
 * Emits the events that an agent reports, remembers those that decide how its end is judged, and emits a gap for
 * whatever it could not place: calls without results are found in the trace itself.
 */
export class AgentTrace {
  readonly #emit: EmitTrace;
  readonly #calls = new Map<string, { readonly call: ReportedCall; readonly beganMs: number }>();
  readonly #answers = new Map<string, Omit<ReportedResult, 'durationMs'>>();
  readonly #running = new Set<string>();
  readonly #gaps = new Set<string>();
  /** Work that the agent announced and has not reported yet, by name. */
  readonly #announced = new Map<string, { readonly channels: readonly Channel[]; readonly reason: string }>();
  readonly #arrived = new Set<string>();
  #place: string | undefined;
  #sawWork = false;
  #workCount = 0;
  #turnsBegun = 0;
  #isInTurn = false;
  #unnamedCalls = 0;
  #lastWords = '';

  constructor(emit: EmitTrace) {
    this.#emit = emit;
  }

  /** Whether the agent said anything or called a tool. */
  get sawWork(): boolean {
    return this.#sawWork;
  }

  /** How much the agent said and did so far. */
  get workCount(): number {
    return this.#workCount;
  }

  /** Number of requests to the model, as far as the stream reports them. */
  get turnsBegun(): number {
    return this.#turnsBegun;
  }

  /** Where the following events are read, such as `line 7`. */
  setPlace(place: string | undefined): void {
    this.#place = place;
  }

  beginTurn(): void {
    this.#turnsBegun++;
  }

  /** For streams that do not mark turns: begins one unless it goes on, which it does until its calls have results. */
  beginTurnUnlessInOne(): void {
    if (!this.#isInTurn) this.beginTurn();
    this.#isInTurn = true;
  }

  /** Words of the agent; undefined where a message has none that can be read. */
  assistant(text: string | undefined): void {
    if (text === undefined) this.gap(['answers'], 'a message of the agent has no text');
    if (text === undefined || text.trim() === '') return;
    this.#sawWork = true;
    this.#workCount++;
    this.#lastWords += text;
    this.#emit({ type: 'message', seenBy: 'agent', role: 'assistant', text });
  }

  user(text: string): void {
    if (text.trim() !== '') this.#emit({ type: 'message', seenBy: 'agent', role: 'user', text });
  }

  /** Words between a sub-agent and the agent that started it: kept, and not taken for words of the agent itself. */
  subagentMessage({ text, ...message }: SubagentCall & { role: 'user' | 'assistant'; text: string }): void {
    this.#checkParent(message);
    if (text.trim() !== '') this.other('subagent/message', { ...message, text });
  }

  reasoning(text: string): void {
    if (text.trim() !== '') this.#emit({ type: 'reasoning', seenBy: 'agent', text });
  }

  /** Emits each call once; a report of another call under its id is another call. */
  toolCall(call: ReportedCall): void {
    const before = call.callId === undefined ? undefined : this.#calls.get(call.callId);
    if (before && isDeepStrictEqual(before.call, call)) return;
    if (before) this.gap(['tool-calls', 'tool-results'], `two different calls have the id ${call.callId}`);
    if (call.callId === undefined) this.gap(['tool-results'], 'a tool call has no id');
    if (call.tool === undefined) this.gap(['tool-calls'], 'a tool call names no tool');
    this.#checkParent(call);
    const callId = before || call.callId === undefined ? this.#madeUpId() : call.callId;
    this.#sawWork = true;
    this.#lastWords = '';
    this.#calls.set(callId, { call, beganMs: performance.now() });
    this.#running.add(callId);
    this.arrived(`call ${callId}`);
    this.#workCount++;
    this.#emit({ type: 'tool-call', seenBy: 'agent', ...call, callId, tool: call.tool ?? 'unknown' });
  }

  /** Emits the first result of a call, even of a call that was never reported. */
  toolResult({ durationMs, ...result }: ReportedResult): void {
    const { callId = this.#madeUpId() } = result;
    const before = this.#answers.get(callId);
    if (before) {
      if (!isDeepStrictEqual(before, result))
        this.gap(['tool-results'], `the call ${callId} has two different results`);
      return;
    }
    const call = this.#calls.get(callId);
    if (!call)
      this.gap(['tool-calls', 'tool-results'], `a result names a call that was not reported: ${result.callId}`);
    this.#sawWork = true;
    this.#lastWords = '';
    this.#answers.set(callId, result);
    this.#running.delete(callId);
    if (this.#running.size === 0) this.#isInTurn = false;
    const tookMs = durationMs ?? (call === undefined ? undefined : performance.now() - call.beganMs);
    const timed = tookMs === undefined ? {} : { durationMs: tookMs };
    this.#emit({ type: 'tool-result', seenBy: 'agent', ...result, callId, ...timed });
  }

  /** Emits tokens that can be; returns them. Nothing is known of an agent that worked and reports none of its tokens. */
  usage({ model, costUsd: cost, ...reported }: ReportedTokens): Usage {
    const { usage, problem } = readUsage(reported);
    const costUsd = numberOf(cost);
    if (problem !== undefined) this.gap(ofUsage, `the reported tokens cannot be: ${problem}`);
    const isAbsurd = costUsd !== undefined && (costUsd < 0 || costUsd > mostUsd);
    if (isAbsurd) this.gap(['cost'], `the reported cost cannot be: ${costUsd}`);
    if (!usage && problem === undefined && this.#sawWork)
      this.gap(costUsd === undefined ? ofUsage : ['usage'], 'the agent reported no tokens');
    if (usage && totalTokensOf(usage) === 0 && this.#sawWork) this.gap(ofUsage, 'it reports 0 tokens for its work');
    const counts = usage && totalTokensOf(usage) !== 0 ? usage : {};
    // A model without a price has the cost 0.
    const paid = costUsd !== undefined && costUsd > 0 && !isAbsurd ? { costUsd } : {};
    if (Object.keys(counts).length === 0 && paid.costUsd === undefined) return {};
    this.#emit({ type: 'usage', seenBy: 'agent', ...(model === undefined ? {} : { model }), ...counts, ...paid });
    return counts;
  }

  /** Why the model ended a reply; one that ended before its end has lost the rest. */
  stopReason(reason: unknown): void {
    if (isCutShort(reason)) this.gap(ofReplies, `the model stopped before the end of its reply: ${String(reason)}`);
  }

  /** The answer as the agent repeats it at its end. */
  lastAnswer(text: string): void {
    if (!bare(this.#lastWords).includes(bare(text))) this.gap(['answers'], 'its last answer is not in its messages');
  }

  /** Something that must still be reported: the agent refers to it. */
  announce(name: string, channels: readonly Channel[], reason: string): void {
    if (!this.#arrived.has(name)) this.#announced.set(name, { channels, reason });
  }

  /** Something that may have been announced was reported. */
  arrived(name: string): void {
    this.#arrived.add(name);
    this.#announced.delete(name);
  }

  /** Reports announced work that never came as lost. */
  endAnnouncements(): void {
    for (const { channels, reason } of this.#announced.values()) this.gap(channels, reason);
  }

  /** A line, a part of one, or a figure that could not be placed, with the channels that it could have belonged to. */
  gap(channels: readonly Channel[], loss: string): void {
    const reason = this.#gaps.size < mostGaps ? loss : 'more was lost than is listed';
    const name = `${channels} ${reason}`;
    if (this.#gaps.has(name)) return;
    this.#gaps.add(name);
    const place = this.#place === undefined ? {} : { place: this.#place };
    this.#emit({ type: 'gap', seenBy: 'agent', channels: [...channels], reason, ...place });
  }

  output(output: EventFields<'output'>): void {
    this.#emit({ type: 'output', seenBy: 'agent', ...output });
  }

  notice(message: string): void {
    this.#emit({ type: 'notice', seenBy: 'agent', message });
  }

  other(kind: string, data: unknown): void {
    this.#emit({ type: 'other', seenBy: 'agent', kind, data });
  }

  /** A part of an event whose kind is not known: kept, and lost to every channel that it could have belonged to. */
  unknown(kind: string, data: unknown, channels = ofWork): void {
    this.other(kind, data);
    this.gap(channels, `what the agent calls \`${kind}\` is not known`);
  }

  #checkParent({ parentCallId }: SubagentCall): void {
    if (parentCallId === undefined || this.#calls.has(parentCallId)) return;
    this.gap(['tool-calls'], `a sub-agent works for a call that was not reported: ${parentCallId}`);
  }

  #madeUpId(): string {
    return `unnamed-${++this.#unnamedCalls}`;
  }
}

/** A text without the spaces in which repetitions of it differ. */
function bare(text: string): string {
  return text.replace(/\s+/g, '');
}

type ShellAnswer = Pick<TraceEventOf<'tool-result'>, 'exitCode' | 'result' | 'error'>;

/** The answer of a shell: a command that ran has one, whatever its exit code; only one that did not run is an error. */
export function shellAnswer(text: string, exitCode: number | null, isError: boolean): ShellAnswer {
  if (exitCode === null && isError) return { exitCode, error: { message: text || 'the command did not run' } };
  return { exitCode, result: text };
}

/** The answer of any other tool. */
export function toolAnswer(text: string, isError: boolean): ShellAnswer {
  return isError ? { error: { message: text || 'the tool failed' } } : { result: text };
}

const exitCodeWords = /^(?:Command exited with code|Exit Code): (\d{1,3})\s*$/gim;

/** The exit code in the text of a shell tool's result, for agents that have no field for it; else null. */
export function printedExitCode(text: string): number | null {
  const code = [...text.matchAll(exitCodeWords)].at(-1)?.[1];
  return code === undefined ? null : Number(code);
}
