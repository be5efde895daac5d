import { describe, expect, it } from 'vitest';
import { channels } from '../capability.ts';
import { channelsOnRequest, channelWords, coverageLines, gapEvents, observedChannels } from '../coverage-text.ts';
import type { Trace, TraceEventOf } from '../trace.ts';
import { recordedCoverage } from './recorded-coverage.ts';

const by = { at: 0, seenBy: 'agent' } as const;
const answer: Trace = [
  { type: 'message', ...by, role: 'assistant', text: 'Done.' },
  {
    type: 'turn',
    ...by,
    number: 1,
    messages: [],
    reports: ['tool-calls', 'usage'],
    latencyMs: 5,
    usage: { inputTokens: 1, outputTokens: 1 },
  },
];

function gap(changes: Partial<TraceEventOf<'gap'>> = {}): TraceEventOf<'gap'> {
  return {
    type: 'gap',
    ...by,
    channels: ['tool-calls', 'tool-results'],
    reason: 'the reply has a block of an unknown kind',
    place: 'content[2]',
    ...changes,
  };
}

describe('the coverage that a record keeps', () => {
  it('leaves out the channels that are complete', () => {
    expect(Object.keys(recordedCoverage(answer)).toSorted()).toEqual(['commands', 'cost', 'files', 'requests']);
    expect(recordedCoverage([...answer, gap()])).toMatchObject({
      'tool-calls': { state: 'partial', reasons: ['the reply has a block of an unknown kind (content[2])'] },
      'tool-results': { state: 'partial' },
    });
  });

  it('stays small however much was lost', () => {
    const lost = Array.from({ length: 1_000 }, (_, line) => gap({ place: `line ${line}` }));
    const reasons = recordedCoverage([...answer, ...lost])['tool-calls']?.reasons;
    expect(reasons).toHaveLength(11);
    expect(reasons?.at(-1)).toBe('and 990 more');
  });

  it('counts the result of a lost call as lost', () => {
    expect(recordedCoverage([...answer, gap({ channels: ['tool-calls'] })])).toMatchObject({
      'tool-results': { state: 'partial' },
    });
  });

  it('names a loss that happened again once', () => {
    expect(recordedCoverage([...answer, gap(), gap()])['tool-calls']?.reasons).toHaveLength(1);
  });
});

describe('coverage for people', () => {
  it('has words for every channel, in one order', () => {
    expect(Object.keys(channelWords)).toEqual([...channels]);
    const observed = observedChannels({ usage: { state: 'partial', reasons: ['cut'] } });
    expect(observed.map(({ channel }) => channel)).toEqual(
      channels.filter((channel) => !channelsOnRequest.has(channel)),
    );
    const gone = { state: 'partial' as const, reasons: ['gone'] };
    expect(observedChannels({ state: gone, page: gone, approvals: gone })).toHaveLength(channels.length);
    expect(observed.filter(({ state }) => state !== 'complete').map(({ words }) => words)).toEqual(['tokens']);
  });

  it('says each loss once with its channels, and what nothing reports in one line', () => {
    expect(coverageLines(recordedCoverage([...answer, gap()]))).toEqual([
      'partly observed: tool calls, tool results: the reply has a block of an unknown kind (content[2])',
      'not observed: commands, files, costs, model requests',
    ]);
    expect(coverageLines(undefined)).toEqual([]);
    expect(coverageLines({})).toEqual([]);
  });

  it('leads to the first event of a loss', () => {
    const events = gapEvents([...answer, gap(), gap(), gap({ place: 'content[3]' })]);
    expect([...events.values()]).toEqual([2, 4]);
  });
});
