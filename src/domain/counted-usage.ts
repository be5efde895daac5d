import { eventsOf, rememberedPerTrace, type Trace, type TraceEventOf } from './trace.ts';

/**
 * The trace without usage that an agent reported of requests that the gateway saw itself: both are about the same
 * tokens, and the gateway's figures are the provider's. Every reader of usage goes through this view.
 */
export const withCountedUsage = rememberedPerTrace((trace): Trace => {
  if (!eventsOf(trace, 'usage').some(({ seenBy }) => seenBy === 'gateway')) return trace;
  return trace.flatMap((event) => {
    if (event.seenBy !== 'agent') return [event];
    if (event.type === 'gap') return withoutTokens(event);
    return event.type === 'usage' ? [] : [event];
  });
});

/** Tokens that the agent's own report lost are known to the gateway. */
function withoutTokens(gap: TraceEventOf<'gap'>): TraceEventOf<'gap'>[] {
  const channels = gap.channels.filter((channel) => channel !== 'usage' && channel !== 'cost');
  return channels.length === 0 ? [] : [{ ...gap, channels }];
}

/** Tokens of the requests of a trial, each request once. */
export function countedUsage(trace: Trace): readonly TraceEventOf<'usage'>[] {
  return eventsOf(withCountedUsage(trace), 'usage');
}
