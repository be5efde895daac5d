import { spawn } from 'node:child_process';
import { BoundedOutput } from './bounded-output.ts';

const stderrHeadBytes = 16_384;
const stderrTailBytes = 16_384;
/** Time between asking a process group to end and ending it. */
const graceMs = 1_000;

export interface ProcessRequest {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
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
 * Runs a shell command in a process group of its own and resolves when it has ended. Aborting asks the whole group to
 * end, then ends it; whatever the command left running in its group is ended with it.
 */
export function runProcess(command: string, request: ProcessRequest): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: request.cwd,
      env: request.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const stdout = new BoundedOutput(request.stdoutLimitBytes, 0);
    const stderr = new BoundedOutput(stderrHeadBytes, stderrTailBytes);
    child.stdout.on('data', (chunk: Buffer) => stdout.append(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.append(chunk));
    // A program may end without reading its input; that is not an error of ours.
    child.stdin.on('error', () => undefined);
    child.stdin.end(request.stdin);

    let killTimer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      signalGroup(child.pid, 'SIGTERM');
      killTimer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
    };
    request.signal.addEventListener('abort', stop, { once: true });
    if (request.signal.aborted) stop();
    const settle = (): void => {
      request.signal.removeEventListener('abort', stop);
      clearTimeout(killTimer);
      signalGroup(child.pid, 'SIGKILL');
    };
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    // What the command left running would hold its pipes open, so the group ends with the command itself.
    child.on('exit', settle);
    child.on('close', (exitCode, signal) => {
      resolve({
        exitCode,
        signal,
        stdout: { text: stdout.text(), truncatedBytes: stdout.truncatedBytes },
        stderr: { text: stderr.text(), truncatedBytes: stderr.truncatedBytes },
        durationMs: performance.now() - began,
      });
    });
  });
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone, which is what was wanted.
  }
}
