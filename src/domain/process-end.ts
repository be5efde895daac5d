import type { TraceEventOf } from './trace.ts';

type CutShortBy = NonNullable<TraceEventOf<'command'>['cutShortBy']>;

interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly cutShortBy?: CutShortBy | undefined;
}

const cutShortWords: Readonly<Record<CutShortBy, string>> = {
  'closed-pipe': 'its reader closed the pipe',
  'end-of-trial': 'still running when the agent ended, so Assay ended it',
  'stopped-trial': 'running when Assay stopped the agent',
};

/** How a shell reports that SIGPIPE ended a program: its output had no reader left. */
export const brokenPipeExitCode = 141;

/** How a process ended, in words. */
export function describeEnd({ exitCode, signal, cutShortBy }: ProcessEnd): string {
  const end = signal === null ? `exit ${exitCode ?? 'unknown'}` : `ended by ${signal}`;
  return cutShortBy === undefined ? end : `${end} (${cutShortWords[cutShortBy]})`;
}

/** Whether a command failed by itself; one that was cut short did not. */
export function hasFailed({ exitCode, cutShortBy }: ProcessEnd): boolean {
  return exitCode !== 0 && cutShortBy === undefined;
}
