import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { AssayError } from '../../domain/errors.ts';

/**
 * Descriptors over which bubblewrap names the process that it holds back, and lets it go. A Node.js program in between,
 * such as the host of a terminal, closes all descriptors up to 15 and those that follow without a gap.
 */
export const heldPipes: { readonly info: number; readonly release: number } = { info: 19, release: 20 };

/** Standard streams and the pipes of a process that is held back. */
export const heldStdio: readonly ('pipe' | 'ignore')[] = Array.from({ length: heldPipes.release + 1 }, (_, index) =>
  index <= 2 || index >= heldPipes.info ? 'pipe' : 'ignore',
);

/** The id of the first process in the namespaces, which is held back until it is released. */
export async function heldProcess(child: ChildProcess): Promise<number> {
  const info = child.stdio[heldPipes.info] as Readable;
  let text = '';
  for await (const chunk of info.setEncoding('utf8')) {
    text += String(chunk);
    // Leaving the loop closes the pipe: bubblewrap would be ended by SIGPIPE if it had more to write.
    const pid = /"child-pid":\s*(\d+)[^}]*\}/.exec(text)?.[1];
    if (pid !== undefined) return Number(pid);
  }
  const message = 'Isolation with a separate network does not work on this machine: bubblewrap ended early.';
  throw new AssayError('ISOLATION_UNAVAILABLE', message);
}

export function releaseProcess(child: ChildProcess): void {
  const release = child.stdio[heldPipes.release] as Writable;
  release.on('error', () => undefined);
  release.end('\n');
}
