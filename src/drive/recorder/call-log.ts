import { type CallStart, wasCutOff } from './call-record.ts';
import type { CallsFolder } from './calls-folder.ts';
import type { Endings } from './endings.ts';
import type { RecordedInvocation } from './recorder.ts';

/** Further invocations of a trial are only counted. */
const defaultLimit = 10_000;

/** Turns the files of the shims into invocations, and counts those that it could not report. */
export class CallLog {
  readonly #folder: CallsFolder;
  readonly #report: (invocation: RecordedInvocation) => void;
  readonly #endings: Endings;
  readonly #limit: number;
  #reported = 0;
  #beyondLimit = 0;
  #cut = 0;
  #junk = 0;
  #isFolderWhole = true;

  constructor(
    folder: CallsFolder,
    report: (invocation: RecordedInvocation) => void,
    endings: Endings,
    limit = defaultLimit,
  ) {
    this.#folder = folder;
    this.#report = report;
    this.#endings = endings;
    this.#limit = limit;
  }

  /** Reports a call whose end has been written; one that is not written whole yet is left for later. */
  reportEnded(call: string): void {
    const invocation = this.#endedInvocation(call);
    if (invocation !== undefined) this.#finish(call, invocation);
  }

  /** Reports all remaining calls, when nothing can be written any more. */
  reportRest(): void {
    const { calls, strangers, isWhole } = this.#folder.list();
    this.#junk += strangers;
    this.#isFolderWhole = isWhole;
    const now = Date.now();
    const rest: { call: string; invocation: RecordedInvocation }[] = [];
    for (const call of calls) {
      const invocation = this.#endedInvocation(call) ?? this.#unendedInvocation(call, now);
      if (invocation === undefined) this.#junk++;
      else rest.push({ call, invocation });
    }
    rest.sort((a, b) => endOf(a.invocation) - endOf(b.invocation));
    for (const { call, invocation } of rest) this.#finish(call, invocation);
  }

  get problems(): string[] {
    const problems = [
      [this.#beyondLimit, `invocations after the first ${this.#limit} were not recorded`],
      [this.#cut, 'invocations had arguments that were too long and were truncated'],
      [this.#junk, 'unexpected files were found in the folder of the recorder'],
    ] as const;
    const reported = problems.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
    return this.#isFolderWhole
      ? reported
      : [...reported, 'another process removed or filled the folder of the recorder'];
  }

  #finish(call: string, invocation: RecordedInvocation): void {
    this.#folder.forget(call);
    if (this.#reported >= this.#limit) {
      this.#beyondLimit++;
      return;
    }
    this.#reported++;
    this.#report(invocation);
  }

  #endedInvocation(call: string): RecordedInvocation | undefined {
    const end = this.#folder.end(call);
    const start = end && this.#folder.start(call);
    if (start === undefined || end === undefined) return undefined;
    if (start.isCut) this.#cut++;
    const { durationMs = Math.max(0, end.writtenAt - start.writtenAt), lostReader, ...outcome } = end.content;
    const ended = { ...began(start.content, start.writtenAt), ...outcome, durationMs };
    const cutShortBy = wasCutOff(ended, lostReader) ? 'closed-pipe' : this.#endingOf(ended);
    return cutShortBy === undefined ? ended : { ...ended, cutShortBy };
  }

  /** Whatever was running when the agent's processes were ended was ended with them. */
  #unendedInvocation(call: string, now: number): RecordedInvocation | undefined {
    const start = this.#folder.start(call);
    if (start === undefined) return undefined;
    if (start.isCut) this.#cut++;
    const opening = began(start.content, start.writtenAt);
    const durationMs = Math.max(0, now - opening.startedAt);
    const cutShortBy = this.#endings.lastCause;
    return { ...opening, durationMs, exitCode: null, signal: 'SIGKILL', cutShortBy, stdout: null, stderr: null };
  }

  #endingOf(ended: RecordedInvocation): RecordedInvocation['cutShortBy'] {
    return ended.exitCode === 0 ? undefined : this.#endings.causeOf(ended);
  }
}

function began({ argv, cwd, isNested, startedAt }: CallStart, writtenAt: number) {
  return { argv, cwd, isNested, startedAt: startedAt ?? writtenAt };
}

function endOf({ startedAt, durationMs }: RecordedInvocation): number {
  return startedAt + durationMs;
}
