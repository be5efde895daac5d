import { type Message, type MessageToolCall, messageText } from './message.ts';
import { eventsOf, isDirectCall, lastAnswer, type Trace, type TraceEventOf } from './trace.ts';
import type { Usage } from './usage.ts';

/** One answer of the agent under test, as evaluators look at it. */
export interface Turn {
  /** From 1. */
  readonly number: number;
  /** Messages of the assistant and of its tools. */
  readonly messages: readonly Message[];
  /** Undefined where it was not measured. */
  readonly latencyMs: number | undefined;
  readonly timeToFirstTokenMs: number | undefined;
  readonly usage: Usage | undefined;
  readonly costUsd: number | undefined;
}

/**
 * The answers of a trial. A tool that was called directly has one, with its result as text; an agent that did a task
 * has one, with its last words.
 */
export function turnsOf(trace: Trace): Turn[] {
  const turns = eventsOf(trace, 'turn');
  if (turns.length > 0) return turns.map(turnOf);
  const only = onlyTurn(trace);
  return only ? [only] : [];
}

/** The last answer of a trial; undefined without one. */
export function lastTurn(trace: Trace): Turn | undefined {
  const last = eventsOf(trace, 'turn').at(-1);
  return last ? turnOf(last) : onlyTurn(trace);
}

function turnOf({ number, messages, latencyMs, timeToFirstTokenMs, usage, costUsd }: TraceEventOf<'turn'>): Turn {
  return { number, messages, latencyMs, timeToFirstTokenMs, usage, costUsd };
}

/** Text of the last assistant message in a turn that has one; undefined without an assistant message. */
export function assistantText({ messages }: Pick<Turn, 'messages'>): string | undefined {
  const texts = messages.filter(({ role }) => role === 'assistant').map(messageText);
  return texts.findLast((text) => text !== '') ?? texts.at(-1);
}

/** Tool calls of the assistant in a turn. */
export function toolCallsIn({ messages }: Pick<Turn, 'messages'>): MessageToolCall[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []));
}

/** Calls that the agent itself reports, in the form of messages. */
export function reportedCalls(trace: Trace): MessageToolCall[] {
  const calls = eventsOf(trace, 'tool-call').filter(({ seenBy }) => seenBy === 'agent');
  return calls.map(({ callId, tool, input }) => ({
    ...{ id: callId, type: 'function' },
    function: { name: tool, arguments: JSON.stringify(input) ?? '{}' },
  }));
}

function onlyTurn(trace: Trace): Turn | undefined {
  const unknown = { timeToFirstTokenMs: undefined, usage: undefined, costUsd: undefined };
  const words = eventsOf(trace, 'message').findLast(({ role }) => role === 'assistant');
  if (words) {
    const calls = reportedCalls(trace);
    const message = { role: 'assistant', content: words.text, ...(calls.length > 0 && { tool_calls: calls }) } as const;
    return { number: 1, messages: [message], latencyMs: undefined, ...unknown };
  }
  // A result of an agent's tools is not its answer: only a tool that Assay itself called has answered.
  const answer = isDirectCall(trace) ? lastAnswer(trace) : undefined;
  // An error is not an answer: words in its message must not pass for words of one.
  if (!answer || answer.error !== undefined) return undefined;
  const content = typeof answer.result === 'string' ? answer.result : (JSON.stringify(answer.result) ?? '');
  return { number: 1, messages: [{ role: 'assistant', content }], latencyMs: answer.durationMs, ...unknown };
}
