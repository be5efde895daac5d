import type { Trace, TraceEventOf } from '../../domain/trace.ts';
import type { SeenCommand } from './command-reading.ts';
import type { CommandResult } from './tool-command.ts';

/**
 * The commands that the recorder saw the agent give, as exact as it gets. One that a signal ended has failed.
 * What the tool itself started is not the agent's.
 */
export function recordedCommands(trace: Trace): SeenCommand[] {
  return trace.flatMap((event, eventIndex) => {
    if (event.type !== 'command' || event.isNested) return [];
    const { argv, exitCode } = event;
    return [{ argv, eventIndex, exitCode, result: resultOf(event) }];
  });
}

/**
 * A command whose reader had enough, or that served until the agent was done, did what was wanted of it. How a command
 * would have ended that was stopped together with the agent is not known.
 */
function resultOf({ exitCode, cutShortBy }: TraceEventOf<'command'>): CommandResult {
  if (cutShortBy === 'stopped-trial') return 'unknown';
  return exitCode === 0 || cutShortBy !== undefined ? 'succeeded' : 'failed';
}

/** Whether a recorder stood in front of the tool; every trial that has a work directory has one. */
export function hadRecorder(trace: Trace): boolean {
  return trace.some((event) => event.type === 'command' || event.type === 'workspace');
}
