import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import { taggedEnvironment } from '../../../shared/processes/process-tree.ts';
import { type ProcessExit, superviseProcess } from '../../../shared/processes/run-process.ts';
import type { ServerDefinition } from '../server-definition.ts';
import { WireError } from './wire.ts';

export type StdioDefinition = Extract<ServerDefinition, { transport: 'stdio' }>;

interface ProcessOptions {
  /** Absolute: the working folder of the definition is relative to it. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Everything that the program starts is found by it. */
  readonly tag: string;
}

const stderrEdgeBytes = 16_384;

/** Time between the end of a server's input and the signal to end. */
const shutdownGraceMs = 500;

/** The program of a server with all that it started, and what it prints to stderr. */
export class ServerProcess implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** Rejects when it could not be started. */
  readonly exit: Promise<ProcessExit>;
  readonly #stderr = new BoundedOutput(stderrEdgeBytes, stderrEdgeBytes);
  readonly #stopping = new AbortController();

  /** Variables of the definition are expanded already. Throws a WireError when it is known at once that it cannot start. */
  constructor({ command, args, cwd = '.', ...own }: StdioDefinition, { directory, env, tag }: ProcessOptions) {
    const folder = resolve(directory, cwd);
    if (!existsSync(folder)) throw notStarted(`its working folder "${folder}" does not exist`);
    this.child = start(command === 'node' ? process.execPath : command, args, {
      cwd: folder,
      env: taggedEnvironment({ ...env, ...own.env }, tag),
      detached: true,
    });
    this.child.stderr.on('data', (chunk: Buffer) => this.#stderr.append(chunk));
    const supervision = { tag, isNamespaced: false, signal: this.#stopping.signal, endsDaemons: true };
    this.exit = superviseProcess(this.child, supervision);
    this.exit.catch(() => undefined);
  }

  stderr(): string {
    return this.#stderr.text();
  }

  /** Asks it to end, and ends it with all that it started when it does not. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Ends its input, the protocol's signal to exit, and waits until all of its processes have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin.end();
    const timer = setTimeout(() => this.stop(), shutdownGraceMs);
    await this.exit.catch(() => undefined);
    clearTimeout(timer);
  }
}

/** Some of what cannot be started is known at once, and the rest a moment later. */
function start(command: string, args: string[], options: SpawnOptionsWithoutStdio): ChildProcessWithoutNullStreams {
  try {
    return spawn(command, args, options);
  } catch (error) {
    throw notStarted(error instanceof Error ? error.message : String(error));
  }
}

/** Why a program did not start, in the words of those who wrote its name. */
export function notStarted(why: string): WireError {
  return new WireError({ code: 'MCP_SERVER_NOT_STARTED', what: `could not be started: ${why}` });
}

export function howItEnded({ exitCode, signal }: ProcessExit): string {
  return signal === null ? `with exit code ${exitCode}` : `by the signal ${signal}`;
}
