import type { TraceEvent } from '../../../domain/trace.ts';
import type { Model } from '../../../drive/models/model.ts';
import { contentNonce } from '../../../drive/models/prompting/fence.ts';
import type { JudgeContext, JudgeSubject } from '../../../score/judge/judge.ts';

const stamp = { at: 12, seenBy: 'agent' } as const;

/** One message of a trace. */
export function message(role: 'user' | 'assistant', text: string): TraceEvent {
  return { type: 'message', ...stamp, role, text };
}

/** A booking: e1 user, e2 tool call, e3 tool result, e4 assistant. */
export const bookingTrace: readonly TraceEvent[] = [
  message('user', 'Book a table for two tonight'),
  { type: 'tool-call', ...stamp, callId: 'c-1', tool: 'book_table', input: { guests: 2, time: '19:30' } },
  {
    type: 'tool-result',
    ...stamp,
    callId: 'c-1',
    durationMs: 31,
    result: { status: 'confirmed', reference: 'BK-7731' },
  },
  message('assistant', 'Your table is booked.\nThe reference is BK-7731.'),
];

/** An attempt at booking a table, as a subject for the judge. */
export function sampleSubject(overrides: Partial<JudgeSubject> = {}): JudgeSubject {
  return {
    name: 'booking',
    task: 'Book a table for two tonight',
    trace: bookingTrace,
    expected: { status: 'confirmed' },
    failedGates: [],
    ...overrides,
  };
}

/** A context around a model, with nothing secret and room for everything. */
export function contextOf(model: Model, overrides: Partial<JudgeContext> = {}): JudgeContext {
  return {
    model,
    signal: new AbortController().signal,
    nonce: contentNonce,
    redact: (text) => text,
    tokenBudget: 20_000,
    ...overrides,
  };
}
