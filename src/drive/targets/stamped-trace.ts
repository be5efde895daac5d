import type { EmitTrace, TraceEvent } from '../../domain/trace.ts';

/**
 * The trace of a trial while it grows. It alone stamps events, with milliseconds since the trial began, so all times of
 * a trace come from one clock and never decrease.
 */
export class StampedTrace {
  /** Milliseconds since 1970. */
  readonly startedAt = Date.now();
  readonly events: TraceEvent[] = [];
  readonly #began = performance.now();
  #lastAt = 0;
  #holds = 0;
  #heldSince = 0;
  #heldMs = 0;
  #preparedMs = 0;
  #preparingSince: number | undefined;

  /** A recorder knows when an event happened; the place of its report does not depend on how soon that arrives. */
  readonly emit: EmitTrace = (event) => {
    const now = Math.max(this.#lastAt, this.elapsedMs);
    const at = event.at === undefined ? now : Math.min(now, Math.max(0, hundredths(event.at)));
    const stamped = { at, seenBy: 'engine', ...event } as TraceEvent;
    stamped.at = at;
    // Clocks are not more exact than this; further digits would be much of what a short call takes in the store.
    if (stamped.type === 'tool-result' && stamped.durationMs !== undefined) {
      stamped.durationMs = Math.round(stamped.durationMs * 1_000) / 1_000;
    }
    if (at < this.#lastAt) this.#insert(stamped);
    else this.events.push(stamped);
    this.#lastAt = Math.max(this.#lastAt, at);
  };

  /** Milliseconds since the trial began, without those in which its clock stood still, to two decimals. */
  get elapsedMs(): number {
    const now = this.#holds > 0 ? this.#heldSince : performance.now();
    return hundredths(now - this.#began - this.#heldMs);
  }

  /** Stops the clock until the function is called. */
  pause(): () => void {
    if (this.#holds++ === 0) this.#heldSince = performance.now();
    return () => {
      if (--this.#holds === 0) this.#heldMs += performance.now() - this.#heldSince;
    };
  }

  /**
   * Stops the clock while Assay loads and opens things that trials share: that time is not the target's. It counts for the time
   * limit, because opening may never end.
   */
  async preparing<T>(open: () => Promise<T>): Promise<T> {
    // Within another preparation, that one counts.
    if (this.#preparingSince !== undefined) return open();
    const goOn = this.pause();
    const began = performance.now();
    this.#preparingSince = began;
    try {
      return await open();
    } finally {
      this.#preparedMs += performance.now() - began;
      this.#preparingSince = undefined;
      goOn();
    }
  }

  /** Takes time out that was spent in queues of Assay, and not by the target. */
  leaveOut(ms: number): void {
    this.#heldMs += Math.max(0, ms);
  }

  /** Milliseconds that count for the time limit. */
  get limitedMs(): number {
    const opening = this.#preparingSince === undefined ? 0 : performance.now() - this.#preparingSince;
    return this.elapsedMs + this.#preparedMs + opening;
  }

  /** The same for a rate limit: the wait is an event of the trace. */
  hold(): () => void {
    const began = performance.now();
    const goOn = this.pause();
    return () => {
      goOn();
      const waitMs = Math.round(performance.now() - began);
      this.emit({ type: 'other', kind: 'rate-limit-wait', data: { waitMs } });
    };
  }

  /**
   * An agent's own report of a call may arrive after what the call did, so what happened outside of all calls is put
   * into the call that is reported next.
   */
  #insert(late: TraceEvent): void {
    const { events } = this;
    let place = events.findLastIndex(({ at }) => at <= late.at) + 1;
    const next = hasOpenCall(events.slice(0, place))
      ? -1
      : events.findIndex((event, i) => i >= place && isAgentCall(event));
    const call = events[next];
    if (call) {
      place = next + 1;
      while (events[place]?.at === call.at) place++;
      late.at = call.at;
    }
    events.splice(place, 0, late);
  }
}

const hundredths = (ms: number): number => Math.round(ms * 100) / 100;
const isAgentCall = ({ type, seenBy }: TraceEvent): boolean => type === 'tool-call' && seenBy === 'agent';

function hasOpenCall(events: readonly TraceEvent[]): boolean {
  const open = new Set<string>();
  for (const event of events) {
    if (event.seenBy !== 'agent') continue;
    if (event.type === 'tool-call') open.add(event.callId);
    else if (event.type === 'tool-result') open.delete(event.callId);
  }
  return open.size > 0;
}
