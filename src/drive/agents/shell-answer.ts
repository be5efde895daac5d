import type { TraceEventOf } from '../../domain/trace.ts';

type ShellAnswer = Pick<TraceEventOf<'tool-result'>, 'exitCode' | 'result' | 'error'>;

/** The answer of a shell: a command that ran has one, whatever its exit code; only one that did not run is an error. */
export function shellAnswer(text: string, exitCode: number | null, isError: boolean): ShellAnswer {
  if (exitCode === null && isError) return { exitCode, error: { message: text || 'the command did not run' } };
  return { exitCode, result: text };
}

/** The answer of any other tool. */
export function toolAnswer(text: string, isError: boolean): ShellAnswer {
  return isError ? { error: { message: text || 'the tool failed' } } : { result: text };
}
