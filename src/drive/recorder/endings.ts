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

/** The times in which Assay ended what a process of the agent had left running. */
export class Endings {
  readonly #endings: Ending[] = [];

  /** Begins such a time; call the result when all is ended. */
  begin(cause: EndingCause): () => void {
    const ending: Ending = { cause, fromMs: exactNow(), untilMs: Number.POSITIVE_INFINITY };
    this.#endings.push(ending);
    return () => {
      ending.untilMs = exactNow();
    };
  }

  /**
   * Why Assay ended an invocation; undefined for one that ended by itself. A command that fails just before the agent
   * ends must not count as ended by Assay, so the slack is only for times that are not exact.
   */
  causeOf({ startedAt, durationMs }: EndedInvocation, slackMs: number): EndingCause | undefined {
    const endedAt = startedAt + durationMs;
    const found = this.#endings.find(
      ({ fromMs, untilMs }) => startedAt < fromMs && endedAt >= fromMs - slackMs && endedAt <= untilMs + afterSlackMs,
    );
    return found?.cause;
  }

  /** Why Assay ended an invocation that never recorded its end. */
  get lastCause(): EndingCause {
    return this.#endings.at(-1)?.cause ?? 'end-of-trial';
  }
}

/** The end of a process may be measured some time after it was ended. */
const afterSlackMs = 1_000;

/** Milliseconds since 1970 with their fractions: the end of a shell follows that of its last command at once. */
function exactNow(): number {
  return performance.timeOrigin + performance.now();
}
