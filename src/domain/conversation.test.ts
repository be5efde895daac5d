import { describe, expect, it } from 'vitest';
import { hasTurns, isConversation } from './conversation.ts';
import type { TraceEvent } from './trace.ts';

describe('a conversation', () => {
  it('is held by a target that answers in turns', () => {
    expect(isConversation({ provides: ['workspace', 'turns'] })).toBe(true);
    expect(isConversation({ provides: ['workspace', 'call-answer'] })).toBe(false);
  });

  it('shows in the trace as turns', () => {
    const turn = { type: 'turn', at: 0, seenBy: 'engine', number: 1, messages: [], latencyMs: 1 } as TraceEvent;
    expect(hasTurns([{ type: 'notice', at: 0, seenBy: 'engine', message: 'n' }])).toBe(false);
    expect(hasTurns([turn])).toBe(true);
  });
});
