import { AssayError } from '../../../domain/errors.ts';
import type { ScriptEnd } from '../../../domain/gate.ts';
import { runsOnlyWork } from '../../../drive/targets/agent-task/executed-words.ts';
import { excerptOf } from '../excerpt.ts';
import { type GateContext, GateFailure } from './gate.ts';
import { graderFault } from './grader-fault.ts';
import type { CheckedText } from './text-check.ts';

interface CommandRequest {
  readonly command: string;
  readonly timeout_secs: number;
  readonly runs?: 'work' | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * Runs a shell command in the work directory. Throws a `GateFailure` where it could not even be started, because of what
 * was written or what the agent did.
 */
export async function runCommand(request: CommandRequest, context: GateContext): Promise<ScriptEnd> {
  const { command, timeout_secs: timeoutSecs, env = {}, runs } = request;
  const { workspace, signal } = context;
  if (command.trim() === '') throw new GateFailure('Empty command');
  const changed = workspace.changedGrader?.();
  if (changed) throw changed;
  try {
    const timeoutMs = timeoutSecs * 1000;
    const runsWork = runs === 'work' || runsOnlyWork(command);
    const end = await workspace.runGrader(command, { timeoutMs, signal, env, runsWork });
    if (signal.aborted) throw new AssayError('INTERRUPTED', 'The run was stopped while a gate was evaluated.');
    context.noteRun?.(command, end);
    return end;
  } catch (error) {
    const reason = whyNotRun(error);
    if (reason === undefined) throw error;
    throw new GateFailure(`${quoted(command)} could not be run: ${reason}`);
  }
}

/** The same for a command whose end decides; throws where it says nothing about the work. */
export async function judgedEnd(request: CommandRequest, context: GateContext): Promise<ScriptEnd> {
  const end = await runCommand(request, context);
  const fault = graderFault(request, end);
  if (fault) throw (end.timedOut && context.workspace.endlessWork?.()) || fault;
  return end;
}

/** Undefined where neither the command nor the state of the work directory is to blame. */
function whyNotRun(error: unknown): string | undefined {
  const { cause = error } = error as { readonly cause?: unknown };
  switch ((cause as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EACCES':
      return 'the work directory cannot be entered';
    case 'E2BIG':
      return 'it is too long for a command line';
    case 'ERR_INVALID_ARG_VALUE':
      return 'it contains a null character';
    default:
      return undefined;
  }
}

/** Runs a command that must end with exit code 0. */
export async function runToSuccess(request: CommandRequest, context: GateContext): Promise<ScriptEnd> {
  const end = await judgedEnd(request, context);
  const failure = failureOf(request, end);
  if (failure !== undefined) throw new GateFailure(failure);
  return end;
}

/** Says how a command failed; undefined for one that ended with exit code 0. */
export function failureOf({ command, timeout_secs }: CommandRequest, end: ScriptEnd): string | undefined {
  if (end.timedOut) return `${quoted(command)} did not end within ${timeout_secs} s and was stopped; ${printedBy(end)}`;
  if (end.exitCode === 0) return undefined;
  const how = end.exitCode === null ? `was ended by ${end.signal}` : `exited with ${end.exitCode}`;
  return `${quoted(command)} ${how}, wanted exit code 0; ${printedBy(end)}`;
}

/** A command as messages name it. */
export function quoted(command: string): string {
  return excerptOf(command);
}

function printedBy({ stdout, stderr }: ScriptEnd): string {
  const printed = [
    stdout.text.trim() && `stdout: ${excerptOf(stdout.text)}`,
    stderr.text.trim() && `stderr: ${excerptOf(stderr.text)}`,
  ].filter(Boolean);
  return printed.length === 0 ? 'it printed nothing' : printed.join('; ');
}

/** The standard output of a command as text to look at, without the words that stand for what was left out. */
export function outputOf(command: string, { stdout }: ScriptEnd): CheckedText {
  const { text, truncatedBytes } = stdout;
  const name = `stdout of ${quoted(command)}`;
  if (truncatedBytes === 0) return { name, parts: [text], leftOut: undefined };
  const parts = text.split(`\n… ${truncatedBytes} bytes left out …\n`);
  return { name, parts, leftOut: `it is so long that ${truncatedBytes} bytes of it were left out` };
}
