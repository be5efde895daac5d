import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Channel, channels, type Report } from '../../src/domain/capability.ts';
import type { Trace, TraceEvent } from '../../src/domain/trace.ts';
import { channelCoverage } from '../../src/domain/trace-coverage/coverage.ts';
import { evaluateAll, prepareEvaluator } from '../../src/engine/prepared-evaluator.ts';
import { defineEvaluator, type Evaluator, type How, type Reads } from '../../src/score/evaluators/evaluator.ts';
import { evaluators } from '../../src/score/evaluators/index.ts';
import { onlyPart } from '../../src/testing/program.ts';
import { type Row, rows } from './evaluator-rows.ts';
import { withGap } from './events.ts';
import { pluginEvaluators } from './plugin-evaluators.ts';
import { BookingJudge, makeWork, settingOf } from './trial-settings.ts';
import { channelsOf } from './watchers.ts';

const tested = [...evaluators, ...pluginEvaluators];
const byType = new Map(tested.map((evaluator) => [evaluator.type, evaluator]));
let folder: string;
beforeAll(() => {
  folder = makeWork();
});
afterAll(() => rmSync(folder, { recursive: true }));

type Sight = 'seen' | 'unseen';
type State = 'complete' | 'partial' | 'none';

/** The table of the law; nothing can be seen in a channel that no source reports. */
const law: Readonly<Record<How | 'metric', Record<Sight, Record<State, string>>>> = {
  presence: {
    seen: { complete: 'pass', partial: 'pass', none: 'error' },
    unseen: { complete: 'fail', partial: 'error', none: 'error' },
  },
  absence: {
    seen: { complete: 'fail', partial: 'fail', none: 'error' },
    unseen: { complete: 'pass', partial: 'error', none: 'error' },
  },
  total: {
    seen: { complete: 'fail', partial: 'fail', none: 'error' },
    unseen: { complete: 'pass', partial: 'error', none: 'error' },
  },
  exact: {
    seen: { complete: 'pass', partial: 'error', none: 'error' },
    unseen: { complete: 'fail', partial: 'error', none: 'error' },
  },
  metric: {
    seen: { complete: 'measured', partial: 'no-data', none: 'no-data' },
    unseen: { complete: 'measured', partial: 'no-data', none: 'no-data' },
  },
};

interface Cell {
  readonly row: Row;
  readonly number: number;
  readonly channel: Channel;
  readonly how: How;
  readonly sight: Sight;
  readonly state: State;
}

/** Every cell of the table for an evaluator, from what it declares to read. */
function cellsOf(evaluator: Evaluator): Cell[] {
  const ofType = rows.get(evaluator.type) ?? [];
  return ofType.flatMap((row, index) =>
    (['seen', 'unseen'] as const).flatMap((sight) => {
      const { whereReported = {}, ...reads } = readsOf(evaluator, row, sight);
      const needed = { ...reads.channels, ...reads.whereRead };
      const declared = Object.entries({ ...whereReported, ...needed }) as [Channel, How][];
      // That there is nothing of a channel of which a target need not report anything is not a loss.
      const states = (channel: Channel): State[] =>
        channel in needed ? ['complete', 'partial', 'none'] : ['complete', 'partial'];
      return declared.flatMap(([channel, how]) =>
        states(channel).map((state) => ({
          row,
          number: index + 1,
          channel,
          how: how === 'exact' ? (row.readsAs ?? how) : how,
          sight,
          state,
        })),
      );
    }),
  );
}

function readsOf(evaluator: Evaluator, row: Row, sight: Sight): Reads {
  return evaluator.reads(configOf(evaluator, row[sight].config));
}

function configOf({ configSchema }: Evaluator, config: object = {}): unknown {
  return configSchema.parse(config);
}

const reportsOf: Readonly<Partial<Record<Channel, readonly Report[]>>> = {
  'tool-calls': ['tool-calls'],
  'tool-results': ['tool-calls'],
  usage: ['usage'],
  cost: ['cost'],
  times: ['latency', 'streaming'],
  commands: ['shell-calls'],
};

/** A trace of a target that reports nothing of a channel. */
function without(trace: Trace, channel: Channel): Trace {
  const hidden: readonly Report[] = reportsOf[channel] ?? [];
  return trace.flatMap((event): TraceEvent[] => {
    if (event.type === 'turn' && channel !== 'answers') return [withoutFigure(event, channel, hidden)];
    if (event.type === 'agent-started')
      return [{ ...event, reports: event.reports?.filter((report) => !hidden.includes(report)) }];
    if (event.type === 'workspace' && (channel === 'files' || channel === 'commands')) return [];
    if (event.type === 'server-performance' && channel === 'times') return [];
    if (event.type === 'tool-result' && channel === 'times') return [{ ...event, durationMs: undefined }];
    // The result of a tool that was called directly is its answer.
    if (event.type === 'tool-result' && channel === 'answers') return [];
    return channelsOf(event).includes(channel) ? [] : [event];
  });
}

function withoutFigure(
  turn: Extract<TraceEvent, { type: 'turn' }>,
  channel: Channel,
  hidden: readonly Report[],
): TraceEvent {
  const { usage, costUsd, latencyMs, timeToFirstTokenMs, ...rest } = turn;
  return {
    ...rest,
    messages: channel.startsWith('tool-')
      ? rest.messages.map(({ tool_calls: _, ...message }) => message)
      : rest.messages,
    reports: rest.reports?.filter((report) => !hidden.includes(report)),
    ...(channel !== 'usage' && { usage }),
    ...(channel !== 'cost' && { costUsd }),
    ...(channel !== 'times' && { latencyMs, timeToFirstTokenMs }),
  };
}

const observed: Readonly<Record<State, (trace: Trace, channel: Channel) => Trace>> = {
  complete: (trace) => trace,
  partial: (trace, channel) => withGap(trace, [channel]),
  none: without,
};

/** The answer of an evaluator as the engine gives it, and how often a judge was prompted for it. */
async function answerTo(evaluator: Evaluator, row: Row, sight: Sight, trace: Trace) {
  const judge = new BookingJudge();
  const config = configOf(evaluator, row[sight].config);
  const part = prepareEvaluator({ type: evaluator.type, config }, byType);
  const { evaluate } = part;
  const [answer] = await evaluateAll(
    [{ ...part, evaluate: row.standIn ?? evaluate }],
    settingOf(row, trace, folder, judge),
  );
  return { answer, prompts: judge.prompts };
}

/** What the law says; the engine itself refuses to measure an answer of a tool that gave none. */
function lawfulState({ kind, needs }: Evaluator, { channel, how, sight, state }: Cell): string | undefined {
  if (kind === 'metric' && state === 'none' && channel === 'tool-results' && needs.includes('call-answer'))
    return 'error';
  return law[kind === 'metric' ? 'metric' : how][sight][state];
}

describe('an evaluator that does not declare what it reads', () => {
  const about = { type: 'silent', label: 'Silent', kind: 'assertion', summary: 'says nothing', needs: [] } as const;
  const rest = { configSchema: z.strictObject({}), prepare: () => () => ({ state: 'pass' as const, reason: '' }) };

  it.each([undefined, null, {}, { channels: 'all' }, 'everything'])('cannot be defined: %j', (reads) => {
    const define = (): unknown => defineEvaluator({ ...about, ...rest, reads: reads as never });
    expect(define).toThrow('does not declare what it reads');
  });

  it.each([undefined, null, {}])('cannot be registered by a plug-in: %j', (reads) => {
    const plugin = { evaluators: [{ ...about, ...rest, reads }] };
    expect(() => onlyPart('evaluators', plugin as never)).toThrow(/reads/);
  });

  it.each(tested)('is not $type', (evaluator) => {
    for (const row of rows.get(evaluator.type) ?? []) {
      const { channels: declared, whereReported, whereRead } = readsOf(evaluator, row, 'seen');
      const names = Object.keys({ ...declared, ...whereReported, ...whereRead });
      expect(channels).toEqual(expect.arrayContaining(names));
    }
  });
});

describe('the table of coverage', () => {
  it('has a row for every evaluator', () => {
    expect([...rows.keys()].toSorted()).toEqual([...byType.keys()].toSorted());
  });

  it('has cells for every evaluator but the one that reads only what the others found', () => {
    const without = tested.filter((evaluator) => cellsOf(evaluator).length === 0);
    expect(without.map(({ type }) => type)).toEqual(['expression']);
  });

  const readers = tested.filter((evaluator) => cellsOf(evaluator).length > 0);
  describe.each(readers.map((evaluator) => [evaluator.type, evaluator] as const))('%s', (_type, evaluator) => {
    it.each(cellsOf(evaluator))('$number: $channel, $how, $sight, $state', async (cell) => {
      const { row, channel, sight, state } = cell;
      const trace = observed[state](row[sight].trace, channel);
      if (channel in readsOf(evaluator, row, sight).channels) expect(channelCoverage(trace, channel).state).toBe(state);
      const { answer, prompts } = await answerTo(evaluator, row, sight, trace);
      const expected = lawfulState(evaluator, cell);
      expect(answer?.state, answer?.state === 'error' ? answer.error.message : answer?.reason).toBe(expected);
      if (expected === 'error' && evaluator.needs.includes('judge')) expect(prompts).toBe(0);
    });
  });

  const assertions = tested.filter(({ kind }) => kind === 'assertion');
  it.each(assertions)(
    '$type passes nothing that fails with a channel that a target need not report',
    async (evaluator) => {
      for (const row of rows.get(evaluator.type) ?? []) {
        for (const sight of ['seen', 'unseen'] as const) {
          const { trace } = row[sight];
          const { answer: whole } = await answerTo(evaluator, row, sight, trace);
          const optional = Object.keys(readsOf(evaluator, row, sight).whereReported ?? {}) as Channel[];
          for (const channel of whole?.state === 'fail' ? optional : []) {
            const { answer } = await answerTo(evaluator, row, sight, without(trace, channel));
            expect([channel, sight, answer?.state]).not.toEqual([channel, sight, 'pass']);
          }
        }
      }
    },
  );
});
