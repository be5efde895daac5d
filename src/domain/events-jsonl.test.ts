import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleTrace } from '../testing/fakes/keep/sample-trial.ts';
import { eventLines } from './events-jsonl.ts';
import type { TraceEvent } from './trace.ts';
import { traceEventSchema } from './trace-schema.ts';

const startedAt = 1_700_000_000_000;
const linesOf = (trace: readonly TraceEvent[]) =>
  [...eventLines(trace, startedAt)].map((line) => JSON.parse(JSON.stringify(line)) as Record<string, unknown>);

function call(callId: string): TraceEvent {
  return { type: 'tool-call', at: 1, seenBy: 'agent', callId, tool: 'Bash', input: {}, shellCommand: `run ${callId}` };
}

function result(callId: string): TraceEvent {
  return { type: 'tool-result', at: 2, seenBy: 'agent', callId, durationMs: 1, result: callId, exitCode: 0 };
}

/** As a reader without ids would do it: the n-th result belongs to the n-th call. */
function pairedByOrder(trace: readonly TraceEvent[]): [unknown, unknown][] {
  const lines = linesOf(trace);
  const results = lines.filter(({ event }) => event === 'tool_result');
  return lines
    .filter(({ event }) => event === 'tool_call')
    .map((line, index) => [line.command, results[index]?.output]);
}

describe('eventLines', () => {
  const lines = linesOf(sampleTrace);

  it('can be read by who knows the first vocabulary', () => {
    expect(lines.find(({ event }) => event === 'spawn')).toMatchObject({
      ts: 1_700_000_000.1,
      command: 'codex',
      args: [],
    });
    expect(lines.find(({ event }) => event === 'output')).toMatchObject({ text: 'I will look at the help first.' });
    expect(lines.find(({ event }) => event === 'tool_call')).toMatchObject({ tool: 'Bash', command: 'notes --help' });
    expect(lines.find(({ event }) => event === 'tool_result')).toMatchObject({ output: 'Usage: notes', exit_code: 0 });
    expect(lines.find(({ event }) => event === 'complete')).toMatchObject({ exit_code: null, duration_secs: 12 });
    expect(lines.find(({ event }) => event === 'setup_command')).toMatchObject({
      command: 'notes init',
      exit_code: 0,
      output: 'ready\n',
      success: true,
    });
  });

  it('can be read as the trace that it was made from', () => {
    const read = lines.flatMap((line) => traceEventSchema.safeParse(line).data ?? []);
    expect(read).toEqual(sampleTrace);
  });

  it('pairs by order although answers come late, in another order, or never', () => {
    expect(pairedByOrder([call('a'), call('b'), call('c'), result('c'), result('a')])).toEqual([
      ['run a', 'a'],
      ['run b', ''],
      ['run c', 'c'],
    ]);
  });

  it('keeps no answer back for a call that is never answered', () => {
    const notice: TraceEvent = { type: 'notice', at: 3, seenBy: 'engine', message: 'later' };
    expect(linesOf([call('a'), call('b'), result('b'), notice]).map(({ event }) => event)).toEqual([
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
      'notice',
    ]);
  });

  it('pairs by order whatever happened, and loses no event', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const events = fc.shuffledSubarray(
      ids.flatMap((id) => [
        { id, isCall: true },
        { id, isCall: false },
      ]),
    );
    fc.assert(
      fc.property(events, (shuffled) => {
        const trace = shuffled.map(({ id, isCall }) => (isCall ? call(id) : result(id)));
        const calls = shuffled.filter(({ isCall }) => isCall).map(({ id }) => id);
        const answeredLater = calls.filter((id) => {
          const callAt = shuffled.findIndex((each) => each.id === id && each.isCall);
          return shuffled.some((each, index) => each.id === id && !each.isCall && index > callAt);
        });
        const early = shuffled.filter(({ id, isCall }) => !isCall && !answeredLater.includes(id));
        if (early.length === 0) {
          expect(pairedByOrder(trace)).toEqual(calls.map((id) => [`run ${id}`, answeredLater.includes(id) ? id : '']));
        }
        const kept = linesOf(trace).filter(({ type }) => type !== undefined);
        expect(kept).toHaveLength(trace.length);
      }),
      { seed: 81, numRuns: 500 },
    );
  });
});
