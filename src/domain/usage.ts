import { eventsOf, type Trace, type TraceEventOf } from './trace.ts';

/**
 * The trace without usage that an agent reported of requests that the gateway saw itself: both are about the same
 * tokens, and the gateway's figures are the provider's. Every reader of usage goes through this view.
 */
export function withCountedUsage(trace: Trace): Trace {
  if (!trace.some(({ type, seenBy }) => type === 'usage' && seenBy === 'gateway')) return trace;
  return trace.filter((event) => event.type !== 'usage' || event.seenBy !== 'agent');
}

/** Tokens of the requests of a trial, each request once. */
export function countedUsage(trace: Trace): TraceEventOf<'usage'>[] {
  return eventsOf(withCountedUsage(trace), 'usage');
}
