import { describe, expect, it } from 'vitest';
import { coverageOf } from '../../testing/support/coverage-of.ts';
import { type Channel, channels } from '../capability.ts';
import { lossesOf } from '../coverage-text.ts';
import type { Trace, TraceEvent } from '../trace.ts';
import {
  type CoverageScope,
  channelCoverage,
  gapsAfterAnswer,
  hasMockedServer,
  unreportedCoverage,
} from './coverage.ts';

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

const by = { at: 0, seenBy: 'agent' } as const;
const turn = (number: number, more: object = {}): TraceEvent => ({
  type: 'turn',
  ...by,
  number,
  messages: [],
  reports: [],
  ...more,
});
const gap = (channel: Channel, more: object = {}): TraceEvent => ({
  type: 'gap',
  ...by,
  channels: [channel],
  reason: 'lost',
  ...more,
});
const call = (callId: string, more: object = {}): TraceEvent => ({
  type: 'tool-call',
  ...by,
  callId,
  tool: 'search',
  input: {},
  ...more,
});
const result = (callId: string, more: object = {}): TraceEvent => ({
  type: 'tool-result',
  ...by,
  callId,
  result: 1,
  ...more,
});
const event = (type: string, more: object = {}) => ({ type, ...by, ...more }) as unknown as TraceEvent;
const usage = (more: object = {}): TraceEvent => event('usage', { inputTokens: 1, outputTokens: 1, ...more });

const stateOf = (channel: Channel, trace: Trace, scope?: CoverageScope) => channelCoverage(trace, channel, scope).state;
const reasonsOf = (channel: Channel, trace: Trace, scope?: CoverageScope) =>
  channelCoverage(trace, channel, scope).reasons;

describe('a channel', () => {
  // By what reports it; without any of them nothing is known.
  it.each<[Channel, readonly TraceEvent[]]>([
    [
      'answers',
      [
        turn(1),
        result('a'),
        event('agent-ended'),
        event('mcp-test'),
        event('message', { role: 'assistant', text: '' }),
      ],
    ],
    ['tool-calls', [turn(1, { reports: ['tool-calls'] }), event('mcp-test')]],
    ['tool-results', [turn(1, { reports: ['tool-calls'] }), result('a', { seenBy: 'recorder' })]],
    [
      'commands',
      [event('workspace', { files: [] }), event('command', { argv: ['x'] }), turn(1, { reports: ['shell-calls'] })],
    ],
    ['files', [event('workspace', { files: [] })]],
    ['usage', [turn(1, { usage: { inputTokens: 1, outputTokens: 1 } }), usage()]],
    ['cost', [turn(1, { costUsd: 1 }), usage({ costUsd: 1 })]],
    [
      'times',
      [
        turn(1, { latencyMs: 1 }),
        event('agent-ended'),
        event('mcp-test'),
        event('server-performance'),
        result('a', { durationMs: 1 }),
      ],
    ],
    ['state', [event('state-change')]],
    ['requests', [event('model-call')]],
  ])('%s is complete with any event that reports it, partial with a loss, and unknown without', (channel, sources) => {
    expect(stateOf(channel, [])).toBe('none');
    expect(stateOf(channel, [event('message', { role: 'user', text: '' })])).toBe('none');
    expect(unreportedCoverage(channel)).toMatchObject({ state: 'none', reasons: [expect.any(String)] });
    for (const source of sources) {
      expect([source.type, stateOf(channel, [source])]).toEqual([source.type, 'complete']);
      expect([source.type, stateOf(channel, [gap(channel), source])]).toEqual([source.type, 'partial']);
    }
    const others = channels.filter((other) => other !== channel);
    const losses = others.filter(
      (other) => !(other === 'tool-calls' && ['tool-results', 'commands'].includes(channel)),
    );
    for (const source of sources) expect(stateOf(channel, [...losses.map((one) => gap(one)), source])).toBe('complete');
  });

  it('of figures is not known where turns and results come without them', () => {
    const trace = [turn(1), result('a')];
    expect([stateOf('usage', trace), stateOf('cost', trace), stateOf('times', trace)]).toEqual([
      'none',
      'none',
      'none',
    ]);
  });

  it('of a state that was read once and not again is partial', () => {
    expect(reasonsOf('state', [gap('state')])).toEqual(['lost']);
    expect(stateOf('state', [gap('files')])).toBe('none');
  });

  it('lists each reason once, in the order in which it was lost', () => {
    const trace = [
      gap('usage', { reason: 'b' }),
      gap('usage', { reason: 'a', place: '3' }),
      gap('usage', { reason: 'b' }),
      usage(),
    ];
    expect(reasonsOf('usage', trace)).toEqual(['b', 'a (3)']);
  });

  it('is not touched by a loss of the model that plays the user', () => {
    expect(stateOf('usage', [gap('usage', { purpose: 'user' }), usage()])).toBe('complete');
  });

  it('of the last answer is not touched by a loss in an answer before', () => {
    const figures = { usage: { inputTokens: 1, outputTokens: 1 }, costUsd: 1, latencyMs: 1, reports: ['tool-calls'] };
    for (const channel of ['usage', 'cost', 'times', 'tool-calls'] as const) {
      const before = [gap(channel), turn(1, figures), turn(2, figures)];
      expect([stateOf(channel, before), stateOf(channel, before, 'answer')]).toEqual(['partial', 'complete']);
      const within = [turn(1, figures), gap(channel), turn(2, figures)];
      expect(stateOf(channel, within, 'answer')).toBe('partial');
      expect(stateOf(channel, [gap(channel), turn(1, figures)], 'answer')).toBe('partial');
    }
    const plain = [turn(1, { latencyMs: 1 }), turn(2, figures)];
    expect([reasonsOf('usage', plain), stateOf('usage', plain, 'answer')]).toEqual([
      ['answer 1 did not report its tokens'],
      'complete',
    ]);
    expect(reasonsOf('cost', [turn(1, { costUsd: 1 }), turn(2)], 'answer')).toEqual([
      'answer 2 did not report its cost',
    ]);
    expect(reasonsOf('times', [turn(1), turn(2, figures)])).toEqual(['answer 1 did not report its time']);
  });
});

describe('calls of tools', () => {
  const reporting = turn(1, { reports: ['tool-calls'] });

  it('without a result that an agent should have reported make the results incomplete', () => {
    expect(reasonsOf('tool-results', [call('a'), reporting])).toEqual([
      'the result of call 1, `search`, was not reported',
    ]);
    expect(stateOf('tool-results', [call('a'), result('a'), reporting])).toBe('complete');
    const bySome = [call('a', { seenBy: 'recorder' }), call('b'), result('b'), reporting];
    expect(stateOf('tool-results', bySome)).toBe('complete');
    expect(stateOf('tool-results', [call('a', { seenBy: 'recorder' }), { ...reporting, seenBy: 'recorder' }])).toBe(
      'complete',
    );
  });

  it('that were lost had results, and may have been commands where nothing was recorded', () => {
    const lost = [gap('tool-calls'), turn(1, { reports: ['tool-calls', 'shell-calls'] })];
    expect([stateOf('tool-results', lost), stateOf('commands', lost)]).toEqual(['partial', 'partial']);
    expect(stateOf('commands', [...lost, event('workspace', { files: [] })])).toBe('complete');
    expect(stateOf('commands', [...lost, event('command', { argv: ['x'] })])).toBe('complete');
    const before = [gap('tool-calls'), reporting, { ...reporting, number: 2 } as TraceEvent];
    expect(stateOf('tool-results', before, 'answer')).toBe('complete');
  });

  it('that a mock or a recording answered say nothing of the time of the tool', () => {
    const timed = turn(1, { latencyMs: 1 });
    expect(reasonsOf('times', [result('a', { answeredBy: 'mock' }), timed])).toEqual([
      'a mock answered in place of the tool',
    ]);
    expect(reasonsOf('times', [result('a', { answeredBy: 'replay' }), timed])).toEqual([
      'a recording answered in place of the tool',
    ]);
    expect(reasonsOf('times', [event('tool-tape'), timed])).toEqual(['a recording answered in place of the tool']);
    expect(stateOf('times', [result('a', { answeredBy: 'fault' }), timed])).toBe('complete');
    const server = (transport: string) => [event('mcp-server', { transport }), timed];
    expect([stateOf('times', server('mock')), stateOf('times', server('stdio'))]).toEqual(['partial', 'complete']);
    expect([hasMockedServer(server('mock')), hasMockedServer(server('stdio'))]).toEqual([true, false]);
    const earlier = [result('a', { answeredBy: 'mock' }), timed, turn(2, { latencyMs: 1 })];
    expect([stateOf('times', earlier), stateOf('times', earlier, 'answer')]).toEqual(['partial', 'complete']);
  });
});

describe('requests', () => {
  it('without tokens or a cost make these incomplete, unless they were made for the user', () => {
    expect(reasonsOf('usage', [usage(), usage({ inputTokens: undefined })])).toEqual([
      'request 2 did not report its tokens',
    ]);
    expect(reasonsOf('cost', [usage({ costUsd: 1 }), usage()])).toEqual(['request 2 did not report its cost']);
    expect(stateOf('cost', [usage({ costUsd: 1 }), usage({ purpose: 'user' })])).toBe('complete');
  });
});

describe('losses after an answer', () => {
  it('are those behind the last turn, or behind the last words of an agent without turns', () => {
    const words = event('message', { role: 'assistant', text: '' });
    expect(gapsAfterAnswer([turn(1), words, gap('answers')], 'answers')).toHaveLength(1);
    expect(gapsAfterAnswer([gap('answers'), turn(1)], 'answers')).toEqual([]);
    expect(gapsAfterAnswer([turn(1), gap('usage')], 'answers')).toEqual([]);
    expect(gapsAfterAnswer([turn(1), gap('usage')], 'usage')).toHaveLength(1);
    expect(gapsAfterAnswer([words, gap('answers')], 'answers')).toHaveLength(1);
    expect(gapsAfterAnswer([gap('answers'), words], 'answers')).toEqual([]);
    expect(gapsAfterAnswer([words, gap('usage')], 'usage')).toEqual([]);
    expect(gapsAfterAnswer([event('message', { role: 'user', text: '' }), gap('answers')], 'answers')).toEqual([]);
    expect(gapsAfterAnswer([turn(1)], 'answers')).toEqual([]);
  });
});
