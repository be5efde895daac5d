import type { Trace } from '../domain/trace.ts';
import type { SeenCommand } from './command-reading.ts';

/**
 * The commands that the recorder saw the agent give, as exact as it gets. One that was ended by a signal has failed.
 * What the tool itself started is not the agent's.
 */
export function recordedCommands(trace: Trace): SeenCommand[] {
  return trace.flatMap((event, eventIndex) => {
    if (event.type !== 'command' || event.isNested) return [];
    const { argv, exitCode } = event;
    return [{ argv, eventIndex, exitCode, result: exitCode === 0 ? 'succeeded' : 'failed' }];
  });
}

/** Whether a recorder stood in front of the tool; every trial that has a work directory has one. */
export function hadRecorder(trace: Trace): boolean {
  return trace.some((event) => event.type === 'command' || event.type === 'workspace');
}
