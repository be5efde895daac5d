import * as z from 'zod';
import { type Channel, channels } from '../../src/domain/capability.ts';
import type { Trace, TraceEvent } from '../../src/domain/trace.ts';
import { defineEvaluator } from '../../src/score/evaluators/evaluator.ts';

/** What the events of each kind are observations of. */
const channelsOfEvents: Readonly<Partial<Record<TraceEvent['type'], readonly Channel[]>>> = {
  message: ['answers'],
  turn: ['answers', 'tool-calls', 'tool-results', 'usage', 'cost', 'times'],
  'tool-call': ['tool-calls', 'tool-results'],
  'tool-result': ['tool-results'],
  command: ['commands'],
  'file-change': ['files'],
  'state-change': ['state'],
  'page-state': ['page'],
  'approval-policy': ['approvals'],
  approval: ['approvals'],
  usage: ['usage', 'cost'],
  'agent-ended': ['times'],
  'model-call': ['requests', 'times'],
};

/** The channels that are not complete without an event. */
export function channelsOf(event: TraceEvent): readonly Channel[] {
  if (event.type === 'message' && event.role !== 'assistant') return [];
  const touched = channelsOfEvents[event.type] ?? [];
  return 'costUsd' in event && event.costUsd !== undefined ? touched : touched.filter((channel) => channel !== 'cost');
}

const repeatedInAnswers: ReadonlySet<Channel> = new Set(['tool-calls', 'tool-results', 'usage', 'cost']);

/** How many observations a channel has. */
export function observationsIn(trace: Trace, channel: Channel): number {
  const observed = trace.filter((event) => channelsOf(event).includes(channel));
  // An answer repeats the calls and the tokens of its requests, which have their own events.
  const single = repeatedInAnswers.has(channel) ? observed.filter(({ type }) => type !== 'turn') : observed;
  return single.length > 0 ? single.length : observed.length;
}

/**
 * For each channel an assertion that looks at nothing else, as a plug-in would declare it: at most so many observations.
 * Silence makes it greener than any built-in does.
 */
export const watchers = channels.map((channel) =>
  defineEvaluator({
    type: `at-most-${channel}`,
    label: 'At most',
    kind: 'assertion',
    summary: `a trace has at most so many observations of ${channel}`,
    needs: [],
    reads: { channels: { [channel]: 'absence' } },
    configSchema: () => z.strictObject({ most: z.int() }),
    prepare:
      ({ most }) =>
      ({ trace }) => {
        const count = observationsIn(trace, channel);
        return { state: count <= most ? 'pass' : 'fail', reason: `${count} of at most ${most}` };
      },
  }),
);
