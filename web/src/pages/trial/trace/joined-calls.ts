import { type PlacedEvent, pageSize } from './trace-pages.ts';

/** Which result answers which call, both ways, by their places in the trace. */
export interface JoinedCalls {
  readonly resultOf: ReadonlyMap<number, PlacedEvent>;
  readonly callOf: ReadonlyMap<number, number>;
}

/**
 * Joins calls with their results. A result further away than a page stays on its own, so that what is joined does not
 * depend on what else is loaded. Ids may be used again: a result belongs to the first open call with its id.
 */
export function joinCalls(events: readonly PlacedEvent[]): JoinedCalls {
  const resultOf = new Map<number, PlacedEvent>();
  const callOf = new Map<number, number>();
  const open = new Map<string, number[]>();
  for (const placed of events) {
    const { index, event } = placed;
    if (event.type !== 'tool-call' && event.type !== 'tool-result') continue;
    const key = `${event.seenBy} ${event.callId}`;
    if (event.type === 'tool-call') {
      open.set(key, [...(open.get(key) ?? []), index]);
      continue;
    }
    const call = open.get(key)?.shift();
    if (call === undefined || index - call > pageSize) continue;
    resultOf.set(call, placed);
    callOf.set(index, call);
  }
  return { resultOf, callOf };
}
