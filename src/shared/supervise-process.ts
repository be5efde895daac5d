import type { ChildProcess } from 'node:child_process';
import { graceMs, ProcessTree, type TreeShape } from './process-tree.ts';

/** Time in which the last output of an ended process is read while something that it left behind holds its pipes. */
const drainMs = 500;

export interface Supervision extends TreeShape {
  /** Aborting asks everything to end, then ends it. */
  readonly signal: AbortSignal;
  /** Whether what left the process group is ended too when the process has ended by itself. */
  readonly endsDaemons: boolean;
}

export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether the signal was aborted before the process had ended. */
  readonly wasStopped: boolean;
}

/**
 * Resolves when a child that leads a process group of its own has ended and its output was read. What it left running
 * in its group is ended with it; pipes that something else holds open are not waited for.
 */
export function superviseProcess(child: ChildProcess, supervision: Supervision): Promise<ProcessExit> {
  return new Promise((resolve, reject) => {
    const { signal: abort, endsDaemons } = supervision;
    const tree = new ProcessTree(child.pid, supervision);
    let drainTimer: NodeJS.Timeout | undefined;
    let wasStopped = abort.aborted;
    const stop = (): void => tree.stop();
    const settle = (): void => {
      abort.removeEventListener('abort', stop);
      clearTimeout(drainTimer);
      if (abort.aborted) tree.endAll();
      tree[Symbol.dispose]();
    };
    abort.addEventListener('abort', stop, { once: true });
    if (abort.aborted) stop();
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    child.on('exit', () => {
      wasStopped = abort.aborted;
      // A shell that was asked to end does so before what it runs, which still has its time to end by itself.
      if (!wasStopped) endLeftovers(tree, endsDaemons);
      drainTimer = setTimeout(() => closePipes(child), wasStopped ? graceMs + drainMs : drainMs);
    });
    child.on('close', (exitCode, signal) => {
      settle();
      resolve({ exitCode, signal, wasStopped });
    });
  });
}

function endLeftovers(tree: ProcessTree, endsDaemons: boolean): void {
  if (endsDaemons) tree.endAll();
  else tree.endGroup();
}

function closePipes({ stdin, stdout, stderr }: ChildProcess): void {
  for (const pipe of [stdin, stdout, stderr]) pipe?.destroy();
}
