import { expect, it } from 'vitest';
import { coverageOf } from '../../testing/support/coverage-of.ts';
import { lossesOf } from '../coverage-text.ts';
import type { Trace, TraceEvent } from '../trace.ts';

const answer = (number: number, figures: object = {}): TraceEvent => ({
  ...{ type: 'turn', at: number, seenBy: 'recorder', number, messages: [{ role: 'assistant', content: 'Yes.' }] },
  ...{ latencyMs: 1, reports: ['usage', 'latency'], ...figures },
});
const unreadable: TraceEvent = {
  ...{ type: 'gap', at: 1, seenBy: 'recorder', channels: ['usage', 'cost'] },
  reason: 'the reported tokens cannot be: a negative number',
};

function lossesIn(trace: Trace): string[] {
  return lossesOf(coverageOf(trace)).map(({ words, reason }) => `${words}: ${reason}`);
}

it('lists tokens that were lost in an answer once, with the reason that is known', () => {
  expect(lossesIn([unreadable, answer(1)])).toEqual([`tokens: ${unreadable.reason}`]);
});

it('lists answers whose tokens are missing for another reason beside it', () => {
  expect(
    lossesIn([unreadable, answer(1), answer(2), answer(3, { usage: { inputTokens: 1, outputTokens: 1 } })]),
  ).toEqual([`tokens: ${unreadable.reason}`, 'tokens: answer 2 did not report its tokens']);
});
