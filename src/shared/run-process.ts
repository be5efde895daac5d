import { spawn } from 'node:child_process';
import { BoundedOutput } from './bounded-output.ts';
import { superviseProcess } from './supervise-process.ts';
import { taggedEnvironment } from './tagged-processes.ts';

const stderrHeadBytes = 16_384;
const stderrTailBytes = 16_384;

export interface ProcessRequest {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Unique to this request: by it everything is found that the command starts. */
  readonly tag: string;
  readonly stdin: string;
  /** Output beyond this is dropped and counted. */
  readonly stdoutLimitBytes: number;
  /** How much of the end is kept beside the limit when there is more. */
  readonly stdoutTailBytes?: number;
  readonly signal: AbortSignal;
  /** Whether daemons that the command leaves behind are ended with it when it ends by itself. */
  readonly endsDaemons?: boolean;
}

export interface Captured {
  readonly text: string;
  readonly truncatedBytes: number;
}

/** How a process ended and what it printed. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether the request was aborted before the process had ended. */
  readonly wasStopped: boolean;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly durationMs: number;
}

/**
 * Runs a shell command in a process group of its own and resolves when it has ended. What it left running in its
 * group is ended with it; aborting asks the group to end, then ends all that the command started, daemons included.
 */
export async function runProcess(command: string, request: ProcessRequest): Promise<ProcessEnd> {
  const began = performance.now();
  const { cwd, env, tag, signal: abort, endsDaemons = false } = request;
  const child = spawn('/bin/sh', ['-c', command], { cwd, env: taggedEnvironment(env, tag), detached: true });
  const stdout = capture(child.stdout, new BoundedOutput(request.stdoutLimitBytes, request.stdoutTailBytes ?? 0));
  const stderr = capture(child.stderr, new BoundedOutput(stderrHeadBytes, stderrTailBytes));
  // A program may end without reading its input; that is not an error of ours.
  child.stdin.on('error', () => undefined);
  child.stdin.end(request.stdin);
  const exit = await superviseProcess(child, { tag, isNamespaced: false, signal: abort, endsDaemons });
  const durationMs = performance.now() - began;
  return { ...exit, stdout: captured(stdout), stderr: captured(stderr), durationMs };
}

function capture(stream: NodeJS.ReadableStream, output: BoundedOutput): BoundedOutput {
  stream.on('data', (chunk: Buffer) => output.append(chunk));
  return output;
}

function captured(output: BoundedOutput): Captured {
  return { text: output.text(), truncatedBytes: output.truncatedBytes };
}
