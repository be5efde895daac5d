import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../domain/trace.ts';
import { estimateTokens } from '../../drive/models/prompting/encode-data.ts';
import { bookingTrace, message } from '../../testing/fakes/judge/sample-subject.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { showTrace } from './show-trace.ts';

const plain = { redact: (text: string) => text, tokenBudget: 10_000 };

function parsed(lines: readonly string[]): Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line));
}

describe('showTrace', () => {
  it('numbers the events, ties results to calls, and leaves out what changes from run to run', () => {
    expect(parsed(showTrace({ trace: bookingTrace }, plain).lines)).toEqual([
      {
        event: 'e1',
        type: 'message',
        from: 'user',
        seenBy: 'agent',
        role: 'user',
        text: 'Book a table for two tonight',
      },
      {
        event: 'e2',
        type: 'tool-call',
        from: 'agent',
        seenBy: 'agent',
        tool: 'book_table',
        input: { guests: 2, time: '19:30' },
      },
      {
        event: 'e3',
        type: 'tool-result',
        from: 'tools',
        answers: 'e2',
        seenBy: 'agent',
        result: { status: 'confirmed', reference: 'BK-7731' },
      },
      {
        event: 'e4',
        type: 'message',
        from: 'agent',
        seenBy: 'agent',
        role: 'assistant',
        text: 'Your table is booked.\nThe reference is BK-7731.',
      },
    ]);
  });

  it('does not take recorded commands for evidence that may be forged', () => {
    const command: TraceEvent = {
      type: 'command',
      at: 5,
      seenBy: 'recorder',
      argv: ['book', 'BK-7731'],
      cwd: '.',
      isNested: false,
      exitCode: 0,
      signal: null,
      stdout: { text: 'booked by force', truncatedBytes: 0 },
      stderr: { text: '', truncatedBytes: 0 },
      durationMs: 1,
    };
    const doubt = { type: 'notice', at: 6, seenBy: 'recorder', message: 'The shim was changed' } as const;
    const sourcesOf = (trace: TraceEvent[]): unknown[] =>
      parsed(showTrace({ trace }, plain).lines).flatMap(({ type, from }) => (type === 'command' ? [from] : []));
    expect(sourcesOf([...bookingTrace, command, doubt])).toEqual(['tools']);
    expect(
      sourcesOf([
        ...bookingTrace,
        command,
        { type: 'gap', at: 6, seenBy: 'recorder', channels: ['commands'], reason: 'The shim was changed' },
      ]),
    ).toEqual([]);
  });

  it('is the same for the same events at other times and with other call ids', () => {
    const later = bookingTrace.map((event) => ({ ...event, at: event.at + 5, callId: 'other', durationMs: 99 }));
    expect(showTrace({ trace: later as TraceEvent[] }, plain).lines).toEqual(
      showTrace({ trace: bookingTrace }, plain).lines,
    );
  });

  it('shows the last messages and what happened between them, and says what is left out', () => {
    const { lines, quotable } = showTrace({ trace: bookingTrace }, { ...plain, maxMessages: 1 });
    expect(parsed(lines).map((line) => line.event ?? line.cut)).toEqual(['3 events are not shown here', 'e4']);
    expect([...quotable.keys()]).toEqual(['e4']);
  });

  it('cuts from the middle to the budget, keeping both ends and marking the cut', () => {
    const trace = Array.from({ length: 200 }, (_, index) =>
      message('assistant', `step ${index} ${'word '.repeat(20)}`),
    );
    const { lines, quotable } = showTrace({ trace }, { ...plain, tokenBudget: 1_000 });
    const events = parsed(lines);
    const cutAt = events.findIndex((line) => 'cut' in line);
    expect(events[0]?.event).toBe('e1');
    expect(events.at(-1)?.event).toBe('e200');
    expect(events[cutAt]?.cut).toBe(`${200 - quotable.size} events are not shown here`);
    expect(
      lines.filter((line) => !line.includes('"cut"')).reduce((sum, line) => sum + estimateTokens(line), 0),
    ).toBeLessThanOrEqual(1_000);
    expect(quotable.has('e100')).toBe(false);
  });

  it('cuts the middle out of one huge event, and its seam cannot be quoted', () => {
    const { lines, quotable } = showTrace(
      { trace: [message('assistant', `BEGIN${'x'.repeat(50_000)}END`)] },
      { ...plain, tokenBudget: 1_000 },
    );
    const [event] = parsed(lines);
    expect(event?.text).toMatchObject({ head: expect.stringMatching(/^BEGIN/), tail: expect.stringMatching(/END$/) });
    expect(estimateTokens(lines.join('\n'))).toBeLessThanOrEqual(1_000);
    expect(quotable.get('e1')).toHaveLength(2);
  });

  it('keeps to the budget and shows the last event, whatever the texts and their escapes', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .tuple(fc.constantFrom('<', '\u200B', '"', 'é', 'x', '\u{1F600}'), fc.nat(6_000))
        .map(([unit, count]) => unit.repeat(count)),
    );
    const call = fc.record({ tool: text, input: fc.dictionary(text, text, { maxKeys: 3 }) });
    const event = fc.oneof(
      text.map((value) => message('assistant', value)),
      call.map(
        ({ tool, input }): TraceEvent => ({ type: 'tool-call', at: 0, seenBy: 'agent', callId: 'c', tool, input }),
      ),
    );
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 20 }), (trace) => {
        const { lines, quotable } = showTrace({ trace }, { ...plain, tokenBudget: 2_000 });
        const tokens = lines.filter((line) => !line.startsWith('{"cut"')).map(estimateTokens);
        expect(tokens.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2_000);
        expect(quotable.has(`e${trace.length}`)).toBe(true);
      }),
      { seed: 5, numRuns: repetitions({ usual: 15, inFull: 60 }) },
    );
  });

  it('shows no secret, wherever it is', () => {
    const secret = 's3cret';
    const trace: TraceEvent[] = [
      message('user', `my key is ${secret}`),
      { type: 'tool-call', at: 0, seenBy: 'agent', callId: 'c', tool: `tool-${secret}`, input: { [secret]: [secret] } },
      {
        type: 'tool-result',
        at: 0,
        seenBy: 'agent',
        callId: 'c',
        durationMs: 1,
        error: { message: secret, code: secret },
      },
    ];
    const redact = (text: string) => text.replaceAll(secret, '[redacted]');
    const options = { ...plain, redact, evidenceFrom: ['agent', 'tools', 'user'] as const };
    const { lines, quotable } = showTrace({ trace, finalText: secret }, options);
    expect(lines.join('\n')).not.toContain(secret);
    expect(JSON.stringify([...quotable])).not.toContain(secret);
    expect(lines.join('\n').match(/\[redacted\]/g)?.length).toBe(7);
  });

  it('shows the final answer as a separate event only when the trace does not end with it', () => {
    const ids = (finalText: string) => [...showTrace({ trace: bookingTrace, finalText }, plain).quotable.keys()];
    expect(ids('Something else')).toContain('final');
    expect(ids('Your table is booked.\nThe reference is BK-7731.')).not.toContain('final');
  });

  it('shows nothing that Assay noted for itself: the prompt is that of the conversation alone', () => {
    const noted: TraceEvent[] = [
      { type: 'other', at: 1, seenBy: 'engine', kind: 'persona', data: { reply: 'I must not say so', latencyMs: 12 } },
      { type: 'usage', at: 2, seenBy: 'engine', inputTokens: 1728, outputTokens: 4, costUsd: 0.1 },
      { type: 'notice', at: 3, seenBy: 'engine', message: 'Ann may have left its role' },
      { type: 'turn', at: 4, seenBy: 'recorder', number: 1, messages: [], latencyMs: 99 },
    ];
    const [first, ...rest] = bookingTrace as readonly [TraceEvent, ...TraceEvent[]];
    expect(showTrace({ trace: [first, ...noted, ...rest, ...noted] }, plain)).toEqual(
      showTrace({ trace: bookingTrace }, plain),
    );
  });

  it('distinguishes text of the author from text of the agent', () => {
    const authored = (event: object) => ({ at: 0, seenBy: 'engine', ...event }) as TraceEvent;
    const seeded = authored({ type: 'message', role: 'assistant', text: 'Your table is booked.' });
    const call = authored({ type: 'tool-call', callId: 'c', tool: 'book', input: 'table' });
    const result = authored({ type: 'tool-result', callId: 'c', durationMs: 1, result: 'booked' });
    const ids = (trace: readonly TraceEvent[]) => [...showTrace({ trace }, plain).quotable.keys()];
    expect(ids([seeded, call, result, message('assistant', 'Sorry.')])).toEqual(['e4']);
    expect(ids([call, result])).toEqual(['e2']);
    expect(ids([authored({ type: 'message', role: 'user', text: 'Book' }), seeded, call, result])).toEqual([
      'e2',
      'e3',
      'e4',
    ]);
  });

  it('shows an empty trace as nothing', () => {
    expect(showTrace({ trace: [] }, plain)).toEqual({
      lines: [],
      isWhole: true,
      quotable: new Map(),
      unquotable: new Map(),
    });
  });
});
