import type { TraceEventOf } from '../../domain/trace.ts';

type Cause = NonNullable<TraceEventOf<'command'>['cutShortBy']>;
type EndingCause = Exclude<Cause, 'closed-pipe'>;

interface Ending {
  readonly cause: EndingCause;
  readonly fromMs: number;
  untilMs: number;
}

interface EndedInvocation {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Times of files and of messages differ from the clock of this process by less than this. */
const noticedSlackMs = 20;

/** Both clocks count whole milliseconds of the same time. */
export const sameClockSlackMs = 1;

/** The times in which Assay ended what a process of the agent had left running. */
export class Endings {
  readonly #endings: Ending[] = [];

  /** Begins such a time; call the result when all is ended. */
  begin(cause: EndingCause): () => void {
    const ending: Ending = { cause, fromMs: Date.now(), untilMs: Number.POSITIVE_INFINITY };
    this.#endings.push(ending);
    return () => {
      ending.untilMs = Date.now();
    };
  }

  /**
   * Why Assay ended an invocation; undefined for one that ended by itself. The end of processes and the end of their
   * namespace may be noticed at some distance from each other, and in any order.
   */
  causeOf({ startedAt, durationMs }: EndedInvocation, slackMs = noticedSlackMs): EndingCause | undefined {
    const endedAt = startedAt + durationMs;
    const found = this.#endings.find(
      ({ fromMs, untilMs }) => startedAt < fromMs && endedAt >= fromMs - slackMs && endedAt <= untilMs + slackMs,
    );
    return found?.cause;
  }

  /** Why Assay ended an invocation that never recorded its end. */
  get lastCause(): EndingCause {
    return this.#endings.at(-1)?.cause ?? 'end-of-trial';
  }
}
