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

  readonly emit: EmitTrace = (event) => {
    const at = this.#timeOf(event.at);
    this.#lastAt = at;
    const stamped = { at, seenBy: 'engine', ...event } as TraceEvent;
    stamped.at = at;
    this.events.push(stamped);
  };

  /** Milliseconds since the trial began, to two decimals. */
  get elapsedMs(): number {
    return Math.round((performance.now() - this.#began) * 100) / 100;
  }

  /** A recorder may know when an event happened; one that is reported late keeps its place in the order. */
  #timeOf(happenedAt: number | undefined): number {
    const now = Math.max(this.#lastAt, this.elapsedMs);
    return happenedAt === undefined ? now : Math.min(now, Math.max(this.#lastAt, happenedAt));
  }
}
