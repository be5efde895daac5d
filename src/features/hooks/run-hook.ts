import { homedir, tmpdir } from 'node:os';
import type { ScriptEnd } from '../../domain/gate.ts';
import { cleanEnvironment } from '../../drive/workspace/clean-environment.ts';
import { howItEnded, isGood, runScript } from '../../drive/workspace/run-script.ts';
import { formatDuration } from '../../shared/format.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import type { HooksConfig } from './hooks-config.ts';

/** How long the commands of one `after` hook may go on after the run was interrupted. */
const closingMs = 10_000;
/** Characters at the end of a command's output that are shown. */
const shownOutput = 300;
/** More than is shown: a secret that is cut in two would not be redacted. */
const redactedOutput = 20_000;

export type HookName = keyof HooksConfig;

/** The run, the scenario or the trial that a hook stands beside. */
export interface HookSubject {
  /** `ASSAY_…` variables of its commands. */
  readonly variables: Readonly<Record<string, string>>;
  /** Of each command. */
  readonly timeoutMs: number;
}

/** A command that failed, and how. */
export interface FailedCommand {
  readonly command: string;
  readonly message: string;
}

interface HookRunnerOptions {
  readonly hooks: HooksConfig;
  /** Absolute: where commands run. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly redact: Redact;
  /** Interrupts the run. */
  readonly signal: AbortSignal;
}

/** Runs the commands of hooks, one after the other. */
export class HookRunner {
  readonly #options: HookRunnerOptions;
  #count = 0;

  constructor(options: HookRunnerOptions) {
    this.#options = options;
  }

  /** Stops at the first command that fails; one that was interrupted has not failed. */
  async before(hook: HookName, subject: HookSubject): Promise<FailedCommand | undefined> {
    const { hooks, signal } = this.#options;
    for (const command of hooks[hook]) {
      if (signal.aborted) return undefined;
      const end = await this.#run(hook, command, subject, signal);
      if (signal.aborted) return undefined;
      if (!isGood(end)) return this.#failed(command, howItEnded(end, subject.timeoutMs), end);
    }
    return undefined;
  }

  /** Runs every command whatever the others did, also after an interruption, which leaves them little time. */
  async after(hook: HookName, subject: HookSubject): Promise<FailedCommand[]> {
    const { hooks, signal } = this.#options;
    if (hooks[hook].length === 0) return [];
    const failed: FailedCommand[] = [];
    const closing = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => closing.abort(), closingMs);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (const command of hooks[hook]) {
        const end = await this.#run(hook, command, subject, closing.signal);
        if (isGood(end)) continue;
        const how = closing.signal.aborted
          ? `was ended ${formatDuration(closingMs)} after the run was interrupted`
          : howItEnded(end, subject.timeoutMs);
        failed.push(this.#failed(command, how, end));
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
    return failed;
  }

  #run(
    hook: HookName,
    command: string,
    { variables, timeoutMs }: HookSubject,
    signal: AbortSignal,
  ): Promise<ScriptEnd> {
    const { folder, env } = this.#options;
    const folders = { home: env.HOME ?? homedir(), tmp: env.TMPDIR ?? tmpdir() };
    const tag = `${variables.ASSAY_RUN_ID}-${process.pid}-${hook}-${this.#count++}`;
    return runScript(command, {
      cwd: folder,
      env: cleanEnvironment(env, folders, variables),
      timeoutMs,
      tag,
      signal,
    });
  }

  #failed(command: string, how: string, { stdout, stderr }: ScriptEnd): FailedCommand {
    const { redact } = this.#options;
    const printed = (stderr.text.trim() || stdout.text.trim()).slice(-redactedOutput);
    const output = redact(printed).slice(-shownOutput);
    return { command: redact(command), message: output ? `${how}: ${output}` : how };
  }
}
