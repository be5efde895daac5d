import type { Capability } from '../../domain/capability.ts';
import type { Case } from '../../domain/scenario.ts';
import type { Trace, TraceEvent } from '../../domain/trace.ts';

/** An answer that is worth nothing, as a trial would have it in its trace. */
interface WorthlessAnswer {
  readonly name: string;
  readonly trace: Trace;
}

const refusal = 'I cannot help with that.';

/** Answers that no good test of such a target passes; none for targets whose tests do not look at answers. */
export function emptyAnswers(provides: readonly Capability[], item: Case): WorthlessAnswer[] {
  if (provides.includes('call-answer')) {
    return [
      { name: 'no result', trace: callTrace(item, undefined) },
      { name: 'an empty text', trace: callTrace(item, '') },
      { name: 'an empty object', trace: callTrace(item, {}) },
    ];
  }
  if (!provides.includes('turns')) return [];
  return [
    { name: 'an empty answer', trace: turnTrace(item, '') },
    { name: `the answer "${refusal}"`, trace: turnTrace(item, refusal) },
  ];
}

function callTrace(item: Case, result: unknown): Trace {
  const seen = { at: 0, seenBy: 'recorder' } as const;
  return [
    { type: 'tool-call', ...seen, callId: '1', tool: 'call', input: item.input },
    { type: 'tool-result', ...seen, callId: '1', durationMs: 0, result },
  ];
}

function turnTrace(item: Case, text: string): Trace {
  const seen = { at: 0, seenBy: 'agent' } as const;
  const asked = typeof item.input === 'string' ? item.input : JSON.stringify(item.input ?? '');
  const events: TraceEvent[] = [
    { type: 'message', ...seen, role: 'user', text: asked },
    { type: 'message', ...seen, role: 'assistant', text },
    { type: 'turn', ...seen, number: 1, messages: [{ role: 'assistant', content: text }], latencyMs: 0 },
  ];
  return events;
}
