import { statSync } from 'node:fs';
import { asAssayError } from '../../domain/errors.ts';
import type { ScriptEnd, ScriptRequest } from '../../domain/gate.ts';
import { formatDuration } from '../../shared/format.ts';
import { type EnterSystem, type ProcessEnd, runProcess } from '../../shared/processes/run-process.ts';
import { exitOf } from './isolation.ts';

const stdoutHeadBytes = 6 * 1_048_576;
const stdoutTailBytes = 2 * 1_048_576;

/** Exit code of a shell for a command that it could not start. */
const notStartedExitCode = 127;

/**
 * Runs a shell command of the scenario's author with its own time limit, and ends all processes that it started.
 * A missing work directory is a finding, not a fault: the script ends like a command that does not exist.
 */
export async function runScript(command: string, request: ScriptRequest, enter?: EnterSystem): Promise<ScriptEnd> {
  if (!isFolder(request.cwd)) return notStarted(`the folder ${request.cwd} does not exist`);
  const limit = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    limit.abort();
  }, request.timeoutMs);
  const onAbort = (): void => limit.abort();
  request.signal.addEventListener('abort', onAbort, { once: true });
  if (request.signal.aborted) onAbort();
  try {
    const { wasStopped, ...end } = await runLimited(command, request, limit.signal, enter);
    return { ...end, ...(enter && exitOf(end)), timedOut: timedOut && wasStopped };
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', onAbort);
  }
}

export function isGood({ exitCode, timedOut }: ScriptEnd): boolean {
  return exitCode === 0 && !timedOut;
}

/** A predicate for the command: `ended with exit code 3`. */
export function howItEnded({ exitCode, signal, timedOut }: ScriptEnd, timeoutMs: number): string {
  if (timedOut) return `did not end within ${formatDuration(timeoutMs)}`;
  return signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
}

function runLimited(
  command: string,
  request: ScriptRequest,
  signal: AbortSignal,
  enter: EnterSystem | undefined,
): Promise<ProcessEnd> {
  const { cwd, env, tag, stdin = '' } = request;
  return runProcess(command, {
    cwd,
    env,
    tag,
    stdin,
    signal,
    stdoutLimitBytes: stdoutHeadBytes,
    stdoutTailBytes,
    endsDaemons: true,
    enter,
  }).catch((error: unknown) => {
    throw asAssayError(error, 'WORKSPACE_FAILED');
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function notStarted(reason: string): ScriptEnd {
  const nothing = { text: '', truncatedBytes: 0 };
  const stderr = { text: `cannot run: ${reason}\n`, truncatedBytes: 0 };
  return { exitCode: notStartedExitCode, signal: null, timedOut: false, stdout: nothing, stderr, durationMs: 0 };
}
