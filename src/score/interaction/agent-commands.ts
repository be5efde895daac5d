import { brokenPipeExitCode } from '../../domain/process-end.ts';
import type { Trace, TraceEventOf } from '../../domain/trace.ts';
import type { SeenCommand } from './command-reading.ts';
import { findInvocations, type ShellInvocation } from './shell-commands.ts';
import type { Fate } from './shell-exit.ts';

/** An invocation that the agent itself told of. */
export interface ToldInvocation extends ShellInvocation {
  readonly eventIndex: number;
}

/** Whether the agent told of any shell command, of whatever program. */
export function toldOfShell(trace: Trace): boolean {
  return trace.some((event) => event.type === 'tool-call' && event.shellCommand !== undefined);
}

/** The invocations of the tool in the shell commands that the agent told of, in order. */
export function toldInvocations(trace: Trace, binary: string): ToldInvocation[] {
  const results = new Map<string, TraceEventOf<'tool-result'>>();
  for (const event of trace) if (event.type === 'tool-result') results.set(event.callId, event);
  return trace.flatMap((event, eventIndex) => {
    if (event.type !== 'tool-call' || event.shellCommand === undefined) return [];
    const fate = fateOf(results.get(event.callId));
    return findInvocations(event.shellCommand, binary, fate).map((invocation) => ({ ...invocation, eventIndex }));
  });
}

/** A call that was refused has an error and no exit code: it failed, and the command need not have run. */
function fateOf(result: TraceEventOf<'tool-result'> | undefined): Fate {
  const exitCode = result?.exitCode ?? undefined;
  if (exitCode !== undefined) return { exit: exitCode, isCertain: true };
  return result?.error ? { exit: 'failed', isCertain: false } : { exit: undefined, isCertain: result !== undefined };
}

/** Told invocations as commands. Every one that is written is counted, since the text cannot tell which of them ran. */
export function toldCommands(invocations: readonly ToldInvocation[]): SeenCommand[] {
  return invocations.map(({ argv, eventIndex, exit }) => {
    const result = exit === undefined ? 'unknown' : endedWell(exit) ? 'succeeded' : 'failed';
    return { argv, eventIndex, exitCode: typeof exit === 'number' ? exit : null, result };
  });
}

/** A command whose reader had read enough did not fail. */
function endedWell(exit: number | 'failed'): boolean {
  return exit === 0 || exit === brokenPipeExitCode;
}
