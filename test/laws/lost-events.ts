import type { Channel } from '../../src/domain/capability.ts';
import type { Trace, TraceEvent } from '../../src/domain/trace.ts';
import { channelsOf } from './watchers.ts';

/** A trace of which something was lost, and is marked as lost. */
export interface LossyTrace {
  readonly place: string;
  /** What was lost of it. */
  readonly lost: readonly Channel[];
  readonly trace: Trace;
}

const gap = (channels: readonly Channel[], reason: string): TraceEvent => ({
  type: 'gap',
  at: 0,
  seenBy: 'agent',
  channels: [...channels],
  reason,
});

/** Every event of a trace lost by itself, and everything from it on. */
export function lossyTraces(trace: Trace): LossyTrace[] {
  return trace.flatMap((event, index) => {
    const lost = channelsOf(event);
    if (lost.length === 0) return [];
    const place = `event ${index + 1}, ${event.type}`;
    const rest = [...new Set(trace.slice(index).flatMap(channelsOf))];
    return [
      { place: `${place} dropped`, lost, trace: trace.with(index, gap(lost, 'an event was lost')) },
      { place: `cut at ${place}`, lost: rest, trace: [...trace.slice(0, index), gap(rest, 'the end was lost')] },
    ];
  });
}

/** The same trace for a program that does not look at the losses of one channel. */
export function blindTo(channel: Channel, trace: Trace): Trace {
  return trace.flatMap((event): TraceEvent[] => {
    if (event.type !== 'gap') return [event];
    const seen = event.channels.filter((other) => other !== channel);
    return seen.length === 0 ? [] : [{ ...event, channels: seen }];
  });
}
