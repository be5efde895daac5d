import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { BoundedOutput } from './bounded-output.ts';
import { graceMs, ProcessTree } from './process-tree.ts';
import { taggedEnvironment } from './tagged-processes.ts';

const stderrHeadBytes = 16_384;
const stderrTailBytes = 16_384;
/** Time in which the last output of an ended command is read while a process that it left behind holds its pipes. */
const drainMs = 500;

export interface ProcessRequest {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Unique to this request: by it everything is found that the command starts. */
  readonly tag: string;
  readonly stdin: string;
  /** Output beyond this is dropped and counted. */
  readonly stdoutLimitBytes: number;
  readonly signal: AbortSignal;
}

interface Captured {
  readonly text: string;
  readonly truncatedBytes: number;
}

/** How a process ended and what it printed. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly durationMs: number;
}

/**
 * Runs a shell command in a process group of its own and resolves when it has ended. What it left running in its
 * group is ended with it; aborting asks the group to end, then ends all that the command started, daemons included.
 */
export function runProcess(command: string, request: ProcessRequest): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const { cwd, env, tag, signal: abort } = request;
    const child = spawn('/bin/sh', ['-c', command], { cwd, env: taggedEnvironment(env, tag), detached: true });
    const stdout = capture(child.stdout, new BoundedOutput(request.stdoutLimitBytes, 0));
    const stderr = capture(child.stderr, new BoundedOutput(stderrHeadBytes, stderrTailBytes));
    feed(child, request.stdin);

    const tree = new ProcessTree(child.pid, tag);
    let drainTimer: NodeJS.Timeout | undefined;
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
      // A shell that was asked to end does so before what it runs, which still has its time to end by itself.
      if (!abort.aborted) tree.endGroup();
      drainTimer = setTimeout(() => closePipes(child), abort.aborted ? graceMs + drainMs : drainMs);
    });
    child.on('close', (exitCode, signal) => {
      settle();
      const durationMs = performance.now() - began;
      resolve({ exitCode, signal, stdout: captured(stdout), stderr: captured(stderr), durationMs });
    });
  });
}

function capture(stream: NodeJS.ReadableStream, output: BoundedOutput): BoundedOutput {
  stream.on('data', (chunk: Buffer) => output.append(chunk));
  return output;
}

function captured(output: BoundedOutput): Captured {
  return { text: output.text(), truncatedBytes: output.truncatedBytes };
}

/** A program may end without reading its input; that is not an error of ours. */
function feed({ stdin }: ChildProcessWithoutNullStreams, text: string): void {
  stdin.on('error', () => undefined);
  stdin.end(text);
}

function closePipes({ stdin, stdout, stderr }: ChildProcessWithoutNullStreams): void {
  for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
}
