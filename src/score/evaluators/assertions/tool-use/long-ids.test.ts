import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../../domain/trace.ts';
import { parseJsonObject } from '../../../../drive/agents/json-shapes.ts';
import { messageEvents } from '../../../../drive/connectors/answer-events.ts';
import { tracedArguments } from '../../../../drive/wire/values.ts';
import { parseJson } from '../../../../load/imports/coerce.ts';
import { jsonEquals } from '../../../../shared/exact-json.ts';
import { tracedJson } from '../../../../shared/json.ts';
import { ask, contextOf } from '../../../../testing/fakes/score/conversation.ts';
import { noRepeatedCalls } from './no-repeated-calls.ts';

const callOf = (id: string, input: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'get', arguments: input },
});

function traceOf(...inputs: readonly string[]): TraceEvent[] {
  const calls = inputs.map((input, index) => callOf(`c${index}`, input));
  const events = messageEvents({ role: 'assistant', content: null, tool_calls: calls });
  return events.map((event, at) => ({ at, seenBy: 'agent', ...event }) as TraceEvent);
}

describe('an id that a number cannot hold', () => {
  it('is another one than its neighbour', async () => {
    const trace = traceOf('{"id": 9007199254740993}', '{"id": 9007199254740992}');
    expect(await ask(noRepeatedCalls, {}, contextOf(trace))).toMatchObject({ state: 'pass' });
    const same = traceOf('{"id": 9007199254740993}', '{ "id":9007199254740993 }');
    expect(await ask(noRepeatedCalls, {}, contextOf(same))).toMatchObject({ state: 'fail' });
  });

  it('keeps its digits, and nothing else of a text changes', () => {
    expect(
      tracedJson('{"id":-9007199254740993,"n":1234567890123456,"f":0.12345678901234567,"t":"9007199254740993"}'),
    ).toEqual({
      id: '-9007199254740993',
      n: 1_234_567_890_123_456,
      f: Number('0.12345678901234567'),
      t: '9007199254740993',
    });
    expect(tracedJson('{9007199254740993: 1}')).toBe('{9007199254740993: 1}');
  });

  it('keeps its digits in what agents print and call, and in imported files', () => {
    const line = '{"id":9007199254740993}';
    const kept = { id: '9007199254740993' };
    expect(parseJsonObject(line)).toEqual(kept);
    expect(parseJson(line)).toEqual(kept);
    expect(tracedArguments({ callId: 'c1', tool: 'get', arguments: line })).toEqual(kept);
    expect(tracedJson('null')).toBe(null);
    expect(tracedJson('['.repeat(300) + ']'.repeat(300))).toBe('['.repeat(300) + ']'.repeat(300));
  });

  it('equals a number of a file, which has lost its last digits', () => {
    expect(jsonEquals(Number('9007199254740993'), '9007199254740993')).toBe(true);
    expect(jsonEquals(12, '12')).toBe(false);
  });
});
