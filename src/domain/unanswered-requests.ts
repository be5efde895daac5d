import { isRecord } from '../shared/json.ts';
import { eventsOf, type Trace, type UnstampedEvent } from './trace.ts';

/** For whom a model works in a trial; what is under test where nothing else is said. */
export type Purpose = 'target' | 'persona';

/** Requests that were sent to a model and got no reply, so nobody knows whether they were billed. */
export class UnansweredRequests {
  readonly #open = new Set<symbol>();

  get count(): number {
    return this.#open.size;
  }

  /** Counts a request as unanswered until the function is called: it was answered, or certainly not billed. */
  begin(): () => void {
    const request = Symbol('request');
    this.#open.add(request);
    return () => void this.#open.delete(request);
  }
}

const kind = 'unanswered-request';

/** What a trace keeps of requests without a reply; nothing where each had one. */
export function unansweredEvents(model: string, requests: number, purpose: Purpose): UnstampedEvent[] {
  return requests === 0 ? [] : [{ type: 'other', kind, data: { model, requests, purpose } }];
}

/** How many requests of a trial got no reply. */
export function countUnanswered(trace: Trace, purpose: Purpose): number {
  return eventsOf(trace, 'other')
    .filter((event) => event.kind === kind && isRecord(event.data) && event.data.purpose === purpose)
    .reduce((sum, { data }) => sum + (isRecord(data) && typeof data.requests === 'number' ? data.requests : 1), 0);
}
