import type { Capability } from '../../domain/capability.ts';
import { isConversation } from '../../domain/conversation.ts';
import type { Case } from '../../domain/scenario.ts';
import type { Trace, TraceEvent } from '../../domain/trace.ts';

/** An answer without content, as a trace. */
interface EmptyAnswer {
  readonly name: string;
  readonly trace: Trace;
}

const refusal = 'I cannot help with that.';

/** Answers that no good test of such a target passes; none for targets whose tests do not look at answers. */
export function emptyAnswers(provides: readonly Capability[], item: Case): EmptyAnswer[] {
  if (provides.includes('call-answer')) {
    return [
      { name: 'no result', trace: callTrace(item, undefined) },
      { name: 'an empty text', trace: callTrace(item, '') },
      { name: 'an empty object', trace: callTrace(item, {}) },
    ];
  }
  if (!isConversation({ provides })) return [];
  return [
    { name: 'an empty answer', trace: turnTrace(item, '') },
    { name: `the answer "${refusal}"`, trace: turnTrace(item, refusal) },
  ];
}

function callTrace(item: Case, result: unknown): Trace {
  const stamp = { at: 0, seenBy: 'recorder' } as const;
  return [
    { type: 'tool-call', ...stamp, callId: '1', tool: 'call', input: item.input },
    { type: 'tool-result', ...stamp, callId: '1', durationMs: 0, result },
  ];
}

function turnTrace(item: Case, text: string): Trace {
  const stamp = { at: 0, seenBy: 'agent' } as const;
  const prompt = typeof item.input === 'string' ? item.input : JSON.stringify(item.input ?? '');
  const events: TraceEvent[] = [
    { type: 'message', ...stamp, role: 'user', text: prompt },
    { type: 'message', ...stamp, role: 'assistant', text },
    { type: 'turn', ...stamp, number: 1, messages: [{ role: 'assistant', content: text }], latencyMs: 0 },
  ];
  return events;
}
