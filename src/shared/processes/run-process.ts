import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { BoundedOutput } from './bounded-output.ts';
import { markedArgv, newMark, type ProcessMark } from './process-mark.ts';
import { graceMs, ProcessTree, type TreeShape, taggedEnvironment } from './process-tree.ts';

/**
 * How long the last output of an ended process is read while something that it left behind holds its pipes: until
 * nothing has come for some ticks. Ticks are counted and not milliseconds: on a busy machine much time can pass between
 * two of them, and what the process wrote would be lost unread.
 */
const drainTickMs = 50;
const quietTicks = 10;
const mostTicks = 40;

interface Supervision extends TreeShape {
  /** Aborting asks everything to end, then ends it. */
  readonly signal: AbortSignal;
  /** Whether what left the process group is ended too when the process has ended by itself. */
  readonly endsDaemons: boolean;
  /** Whether nothing that it started is left when the process has exited: it waited for the end of a namespace. */
  readonly exitsLast?: boolean;
}

export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether the signal was aborted before the process had ended. */
  readonly wasStopped: boolean;
}

/**
 * Resolves when a child that leads its own process group has ended and its output was read. What it left running
 * in its group is ended with it; pipes that something else holds open are not waited for.
 */
export function superviseProcess(child: ChildProcess, supervision: Supervision): Promise<ProcessExit> {
  return new Promise((resolve, reject) => {
    const { signal: abort, endsDaemons, exitsLast = false } = supervision;
    const tree = new ProcessTree(child.pid, supervision);
    const drain = new Drain(child);
    let wasStopped = abort.aborted;
    const stop = (): void => tree.stop();
    const settle = (): void => {
      abort.removeEventListener('abort', stop);
      drain.end();
      if (abort.aborted) tree.endAll();
      tree[Symbol.dispose]();
    };
    abort.addEventListener('abort', stop, { once: true });
    if (abort.aborted) stop();
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    child.on('exit', (exitCode) => {
      wasStopped = abort.aborted;
      // A shell ends on the signal before what it runs, which still has its time to end by itself.
      if (!wasStopped) endLeftovers(tree, endsDaemons && !(exitsLast && exitCode !== null));
      drain.begin(wasStopped ? graceMs : 0);
    });
    child.on('close', (exitCode, signal) => {
      settle();
      resolve({ exitCode, signal, wasStopped });
    });
  });
}

function endLeftovers(tree: ProcessTree, endsDaemons: boolean): void {
  if (endsDaemons) tree.endDaemons();
  else tree.endGroup();
}

/** Reads what is left in the pipes of an ended process, and closes them when nothing comes any more. */
class Drain {
  readonly #child: ChildProcess;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #quiet = 0;
  #read = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  begin(delayMs: number): void {
    this.#timer = setTimeout(() => this.#tick(), delayMs + drainTickMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #tick(): void {
    const read = bytesRead(this.#child);
    this.#quiet = read === this.#read ? this.#quiet + 1 : 0;
    this.#read = read;
    this.#ticks++;
    if (this.#quiet >= quietTicks || this.#ticks >= mostTicks) closePipes(this.#child);
    else this.#timer = setTimeout(() => this.#tick(), drainTickMs);
  }
}

function bytesRead({ stdout, stderr }: ChildProcess): number {
  return [stdout, stderr].reduce((sum, pipe) => sum + ((pipe as Socket | null)?.bytesRead ?? 0), 0);
}

function closePipes({ stdin, stdout, stderr }: ChildProcess): void {
  for (const pipe of [stdin, stdout, stderr]) pipe?.destroy();
}

const stderrHeadBytes = 16_384;
const stderrTailBytes = 16_384;

interface ProcessRequest {
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
  /** Starts the shell in another system; its processes are in a namespace then. */
  readonly enter?: EnterSystem | undefined;
}

/** The command of this machine, with its environment, that runs another one in a system and may give it its input. */
export type EnterSystem = (
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  input: string,
) => Entry;

interface Entry {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Whether the command waits for the end of a namespace of this machine, and so is found and ended with it. */
  readonly exitsLast?: boolean;
}

interface Captured {
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
  /** Whether `stdout` is text in UTF-8; in other bytes, marks stand for what cannot be read. */
  readonly isText: boolean;
  readonly stderr: Captured;
  readonly durationMs: number;
}

/**
 * Runs a shell command in its own process group and resolves when it has ended. What it left running in its
 * group is ended with it; aborting asks the group to end, then ends all that the command started, daemons included.
 */
export async function runProcess(command: string, request: ProcessRequest): Promise<ProcessEnd> {
  const began = performance.now();
  const { tag, signal: abort, endsDaemons = false } = request;
  // Processes in another system end with it.
  const mark = endsDaemons && !request.enter ? newMark() : undefined;
  const { child, exitsLast } = spawnShell(command, request, mark);
  const stdout = capture(child.stdout, new BoundedOutput(request.stdoutLimitBytes, request.stdoutTailBytes ?? 0));
  const stderr = capture(child.stderr, new BoundedOutput(stderrHeadBytes, stderrTailBytes));
  // A program may end without reading its input; that is not an error of ours.
  child.stdin.on('error', () => undefined);
  child.stdin.end(request.stdin);
  const exit = await superviseProcess(child, {
    tag,
    mark,
    isNamespaced: request.enter !== undefined,
    signal: abort,
    endsDaemons,
    exitsLast,
  });
  const durationMs = performance.now() - began;
  return { ...exit, stdout: captured(stdout), isText: stdout.isText(), stderr: captured(stderr), durationMs };
}

function spawnShell(
  command: string,
  { cwd, env, tag, enter, stdin }: ProcessRequest,
  mark: ProcessMark | undefined,
): { readonly child: ChildProcessWithoutNullStreams; readonly exitsLast: boolean } {
  const shell = ['/bin/sh', '-c', command] as const;
  const tagged = taggedEnvironment(env, tag);
  if (!enter) {
    const [program, ...rest] = markedArgv(shell, mark);
    return { child: spawn(program, rest, { cwd, env: tagged, detached: true }), exitsLast: false };
  }
  const { argv, env: given, exitsLast = false } = enter(shell, tagged as Record<string, string>, stdin);
  const [program, ...rest] = argv;
  // The command that enters a separate system must outlive the processes in it, so it does not carry their tag.
  const environment = exitsLast ? given : taggedEnvironment(given, '');
  return { child: spawn(program, rest, { cwd, env: environment, detached: true }), exitsLast };
}

function capture(stream: NodeJS.ReadableStream, output: BoundedOutput): BoundedOutput {
  stream.on('data', (chunk: Buffer) => output.append(chunk));
  return output;
}

function captured(output: BoundedOutput): Captured {
  return { text: output.text(), truncatedBytes: output.truncatedBytes };
}
