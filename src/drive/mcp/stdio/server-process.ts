import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import { taggedEnvironment } from '../../../shared/processes/process-tree.ts';
import { type ProcessExit, superviseProcess } from '../../../shared/processes/run-process.ts';
import { expandVariables } from '../../../shared/variables.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { OpenSessionOptions } from '../session.ts';
import { WireError } from '../wire.ts';

export type StdioDefinition = Extract<ServerDefinition, { transport: 'stdio' }>;

const stderrHeadBytes = 16_384;
const stderrTailBytes = 16_384;

/** Time between the end of a server's input and being asked to end. */
const goodbyeMs = 500;

/** The program of a server with all that it started, and what it prints to stderr. */
export class ServerProcess implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** Rejects when it could not be started. */
  readonly exit: Promise<ProcessExit>;
  readonly #stderr = new BoundedOutput(stderrHeadBytes, stderrTailBytes);
  readonly #stopping = new AbortController();

  constructor(definition: StdioDefinition, options: Pick<OpenSessionOptions, 'directory' | 'env'>) {
    const { command, args, env, cwd = '.' } = expandVariables(definition, options.env);
    const folder = resolve(options.directory, cwd);
    if (!existsSync(folder)) throw notStarted(`there is no folder "${folder}" to start it in`);
    const tag = randomUUID();
    this.child = start(command === 'node' ? process.execPath : command, args, {
      cwd: folder,
      env: taggedEnvironment({ ...options.env, ...env }, tag),
      detached: true,
    });
    this.child.stderr.on('data', (chunk: Buffer) => this.#stderr.append(chunk));
    this.exit = superviseProcess(this.child, {
      tag,
      isNamespaced: false,
      signal: this.#stopping.signal,
      endsDaemons: true,
    });
    this.exit.catch(() => undefined);
  }

  stderr(): string {
    return this.#stderr.text();
  }

  /** Asks it to end, and ends it with all that it started when it does not. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Ends its input, which tells a server that it is not needed any more, and waits until nothing of it is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin.end();
    const timer = setTimeout(() => this.stop(), goodbyeMs);
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
