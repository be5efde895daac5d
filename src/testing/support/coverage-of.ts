import { type Channel, channels } from '../../domain/capability.ts';
import type { ChannelCoverage } from '../../domain/coverage-schema.ts';
import type { Trace } from '../../domain/trace.ts';
import { channelCoverage } from '../../domain/trace-coverage/coverage.ts';

/** How much of every channel was observed. */
export function coverageOf(trace: Trace): Readonly<Record<Channel, ChannelCoverage>> {
  const entries = channels.map((channel) => [channel, channelCoverage(trace, channel)]);
  return Object.fromEntries(entries) as Record<Channel, ChannelCoverage>;
}
