import type { EmitTrace, TraceEventOf, UnstampedEvent } from '../../domain/trace.ts';

type EventFields<Type extends UnstampedEvent['type']> = Omit<TraceEventOf<Type>, 'type' | 'at' | 'seenBy'>;

interface ToolResultFields extends Omit<EventFields<'tool-result'>, 'durationMs'> {
  /** As the agent reports it; otherwise the time since the call was emitted. */
  readonly durationMs?: number | undefined;
}

/** The sub-agent that made a call, and the call that started it; both absent for the main agent. */
export type SubagentCall = Pick<TraceEventOf<'tool-call'>, 'actor' | 'parentCallId'>;

/** For a sub-agent whose name the agent does not report. */
export const unnamedSubagent = 'sub-agent';

/** Emits the events that an agent reports, and remembers those that decide how its end is judged. */
export class AgentTrace {
  readonly #emit: EmitTrace;
  readonly #beganMs = new Map<string, number>();
  readonly #answered = new Set<string>();
  readonly #running = new Set<string>();
  #sawWork = false;
  #turnsBegun = 0;
  #isInTurn = false;

  constructor(emit: EmitTrace) {
    this.#emit = emit;
  }

  /** Whether the agent said anything or called a tool. */
  get sawWork(): boolean {
    return this.#sawWork;
  }

  /** Number of requests to the model, as far as the stream reports them. */
  get turnsBegun(): number {
    return this.#turnsBegun;
  }

  beginTurn(): void {
    this.#turnsBegun++;
  }

  /** For streams that do not mark turns: begins one unless it goes on, which it does until its calls have results. */
  beginTurnUnlessInOne(): void {
    if (!this.#isInTurn) this.beginTurn();
    this.#isInTurn = true;
  }

  assistant(text: string): void {
    if (text.trim() === '') return;
    this.#sawWork = true;
    this.#emit({ type: 'message', seenBy: 'agent', role: 'assistant', text });
  }

  user(text: string): void {
    if (text.trim() !== '') this.#emit({ type: 'message', seenBy: 'agent', role: 'user', text });
  }

  /** Words between a sub-agent and the agent that started it: kept, and not taken for words of the agent itself. */
  subagentMessage({ text, ...message }: SubagentCall & { role: 'user' | 'assistant'; text: string }): void {
    if (text.trim() !== '') this.other('subagent/message', { ...message, text });
  }

  reasoning(text: string): void {
    if (text.trim() !== '') this.#emit({ type: 'reasoning', seenBy: 'agent', text });
  }

  /** Emits each call once. */
  toolCall(call: EventFields<'tool-call'>): void {
    if (this.#beganMs.has(call.callId)) return;
    this.#sawWork = true;
    this.#beganMs.set(call.callId, performance.now());
    this.#running.add(call.callId);
    this.#emit({ type: 'tool-call', seenBy: 'agent', ...call });
  }

  /** Emits the first result of a call, even of a call that was never reported. */
  toolResult({ durationMs, ...result }: ToolResultFields): void {
    if (this.#answered.has(result.callId)) return;
    this.#sawWork = true;
    this.#answered.add(result.callId);
    this.#running.delete(result.callId);
    if (this.#running.size === 0) this.#isInTurn = false;
    const beganMs = this.#beganMs.get(result.callId);
    const tookMs = durationMs ?? (beganMs === undefined ? undefined : performance.now() - beganMs);
    this.#emit({
      type: 'tool-result',
      seenBy: 'agent',
      ...result,
      ...(tookMs !== undefined && { durationMs: tookMs }),
    });
  }

  /** A usage of zero is not emitted. */
  usage(usage: EventFields<'usage'>): void {
    if (usage.inputTokens === 0 && usage.outputTokens === 0 && !usage.costUsd) return;
    this.#emit({ type: 'usage', seenBy: 'agent', ...usage });
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
