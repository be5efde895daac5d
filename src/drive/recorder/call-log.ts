import { type CallEnd, type CallStart, wasCutOff } from './call-record.ts';
import type { Endings } from './endings.ts';
import type { RecordedInvocation } from './recorder.ts';

/** Further invocations of a trial are only counted. */
const defaultLimit = 10_000;

/** File times differ from our clock by less than this. */
const fileTimeSlackMs = 20;

/** Something that a shim reported. */
export interface Reported<Content> {
  readonly content: Content;
  /** Milliseconds since 1970: when it was reported. */
  readonly at: number;
  readonly isCut: boolean;
}

/** A call that began; it has not ended while `end` is missing. */
export interface ReportedCall {
  readonly start: Reported<CallStart>;
  readonly end: Reported<CallEnd> | undefined;
}

/** Turns the reports of shims into invocations, and counts those that it could not report. */
export class CallLog {
  readonly #report: (invocation: RecordedInvocation) => void;
  readonly #endings: Endings;
  readonly #limit: number;
  #reported = 0;
  #beyondLimit = 0;
  #cut = 0;

  constructor(report: (invocation: RecordedInvocation) => void, endings: Endings, limit = defaultLimit) {
    this.#report = report;
    this.#endings = endings;
    this.#limit = limit;
  }

  /** Reports a call that has ended. */
  ended(start: Reported<CallStart>, end: Reported<CallEnd>): void {
    this.#finish(start, this.#endedInvocation(start, end));
  }

  /** Reports a call whose shim was killed, and the tool with it. */
  killed(start: Reported<CallStart>, at: number, noticedWithinMs: number): void {
    const killed = killedInvocation(start, at);
    const cutShortBy = this.#endings.causeOf(killed, noticedWithinMs);
    this.#finish(start, cutShortBy === undefined ? killed : { ...killed, cutShortBy });
  }

  /** Reports the calls that are left when nothing can be reported any more, in the order in which they ended. */
  reportRest(calls: readonly ReportedCall[]): void {
    const now = Date.now();
    const rest = calls.map(({ start, end }) => ({
      start,
      invocation: end ? this.#endedInvocation(start, end) : this.#unendedInvocation(start, now),
    }));
    rest.sort((a, b) => endOf(a.invocation) - endOf(b.invocation));
    for (const { start, invocation } of rest) this.#finish(start, invocation);
  }

  /** Losses of the recorded invocations. */
  get losses(): string[] {
    const losses = [
      [this.#beyondLimit, `invocations after the first ${this.#limit} were not recorded`],
      [this.#cut, 'invocations had arguments that were too long and were truncated'],
    ] as const;
    return losses.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  }

  #finish({ isCut }: Reported<CallStart>, invocation: RecordedInvocation): void {
    if (isCut) this.#cut++;
    if (this.#reported >= this.#limit) {
      this.#beyondLimit++;
      return;
    }
    this.#reported++;
    this.#report(invocation);
  }

  #endedInvocation(start: Reported<CallStart>, end: Reported<CallEnd>): RecordedInvocation {
    const { durationMs = Math.max(0, end.at - start.at), lostReader, waitedMs, ...outcome } = end.content;
    const opening = began(start);
    const ended = { ...opening, ...outcome, durationMs, startedAt: opening.startedAt + waitedMs };
    const isExact = start.content.startedAt !== undefined && end.content.durationMs !== undefined;
    const slackMs = isExact ? 0 : fileTimeSlackMs;
    const cutShortBy = wasCutOff(ended, lostReader) ? 'closed-pipe' : this.#endingOf(ended, slackMs);
    return cutShortBy === undefined ? ended : { ...ended, cutShortBy };
  }

  /** Whatever was running when the agent's processes were ended was ended with them. */
  #unendedInvocation(start: Reported<CallStart>, now: number): RecordedInvocation {
    return { ...killedInvocation(start, now), cutShortBy: this.#endings.lastCause };
  }

  #endingOf(ended: RecordedInvocation, slackMs: number): RecordedInvocation['cutShortBy'] {
    return ended.exitCode === 0 ? undefined : this.#endings.causeOf(ended, slackMs);
  }
}

function killedInvocation(start: Reported<CallStart>, at: number): RecordedInvocation {
  const opening = began(start);
  const durationMs = Math.max(0, at - opening.startedAt);
  return { ...opening, durationMs, exitCode: null, signal: 'SIGKILL', stdout: null, stderr: null };
}

function began({ content: { argv, cwd, isNested, startedAt }, at }: Reported<CallStart>) {
  return { argv, cwd, isNested, startedAt: startedAt ?? at };
}

function endOf({ startedAt, durationMs }: RecordedInvocation): number {
  return startedAt + durationMs;
}
