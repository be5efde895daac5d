import { brokenPipeExitCode } from '../../domain/process-end.ts';
import type { TraceEventOf } from '../../domain/trace.ts';

/** How Python reports that its last output could not be written. */
const pythonFlushExitCode = 120;

const brokenPipeWords = /\bEPIPE\b|BrokenPipe|broken pipe/i;

/**
 * Whether a program ended because nobody reads its output any more, as in `tool list | head -1`. Programs that do not
 * die of the signal report an error of their own; it is believed only when the reader was seen to leave.
 */
export function wasCutOff(
  { exitCode, signal, stderr }: Pick<TraceEventOf<'command'>, 'exitCode' | 'signal' | 'stderr'>,
  lostReader: boolean,
): boolean {
  if (signal === 'SIGPIPE' || exitCode === brokenPipeExitCode) return true;
  if (!lostReader || exitCode === 0) return false;
  return exitCode === pythonFlushExitCode || brokenPipeWords.test(stderr?.text ?? '');
}
