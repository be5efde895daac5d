import { describe, expect, it } from 'vitest';
import { excerptOf } from './excerpt.ts';
import type { TraceEvent } from './trace.ts';

const stamp = { at: 0, seenBy: 'engine' } as const;
const call: TraceEvent = { type: 'tool-call', ...stamp, callId: 'c1', tool: 'search', input: { customer: '' } };

function answerTo(result: Partial<Extract<TraceEvent, { type: 'tool-result' }>>): string | undefined {
  const trace: TraceEvent[] = [call, { type: 'tool-result', ...stamp, callId: 'c1', ...result }];
  return excerptOf({ expected: undefined }, trace, (text) => text)?.answer;
}

describe('the answer of a tool that was called directly', () => {
  it('is its result, or the error by which it refused', () => {
    expect(answerTo({ result: { count: 0 } })).toBe('{"count":0}');
    expect(answerTo({ error: { name: 'TypeError', message: 'no customer' } })).toBe('TypeError: no customer');
    expect(answerTo({ error: { code: -32_602, message: 'no customer' } })).toBe('no customer');
  });

  it('is not an error that Assay made because none came', () => {
    expect(answerTo({ error: { code: 'TARGET_TIMEOUT', message: 'No answer within 1 s' } })).toBeUndefined();
  });
});
