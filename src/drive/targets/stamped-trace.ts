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

  readonly emit: EmitTrace = (event) => {
    const at = this.#timeOf(event.at);
    this.#lastAt = at;
    const stamped = { at, seenBy: 'engine', ...event } as TraceEvent;
    stamped.at = at;
    this.events.push(stamped);
  };

  /** Milliseconds since the trial began, without those in which it waited for a rate limit, to two decimals. */
  get elapsedMs(): number {
    const now = this.#holds > 0 ? this.#heldSince : performance.now();
    return Math.round((now - this.#began - this.#heldMs) * 100) / 100;
  }

  /** Stops the clock until the function is called; the wait is an event of the trace. */
  hold(): () => void {
    const began = performance.now();
    if (this.#holds++ === 0) this.#heldSince = began;
    return () => {
      const now = performance.now();
      if (--this.#holds === 0) this.#heldMs += now - this.#heldSince;
      this.emit({ type: 'other', kind: 'rate-limit-wait', data: { waitMs: Math.round(now - began) } });
    };
  }

  /** A recorder may know when an event happened; one that is reported late keeps its place in the order. */
  #timeOf(happenedAt: number | undefined): number {
    const now = Math.max(this.#lastAt, this.elapsedMs);
    return happenedAt === undefined ? now : Math.min(now, Math.max(this.#lastAt, happenedAt));
  }
}
