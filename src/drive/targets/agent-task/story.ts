import type { EmitTrace, TraceEvent } from '../../../domain/trace.ts';

/** What has happened in a trial so far, for those who look at it before the trial is over. */
export class Story {
  readonly startedAt = Date.now();
  readonly events: TraceEvent[] = [];
  readonly emit: EmitTrace;
  readonly #began = performance.now();

  /** Events are passed on with the time at which they came. */
  constructor(passOn: EmitTrace) {
    this.emit = (event) => {
      const at = Math.round((performance.now() - this.#began) * 100) / 100;
      const stamped = { at, seenBy: 'engine', ...event } as TraceEvent;
      this.events.push(stamped);
      passOn(stamped);
    };
  }
}
