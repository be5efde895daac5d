import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ErrorCode } from '../../../domain/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import { taggedEnvironment } from '../../../shared/processes/process-tree.ts';
import { type ProcessExit, superviseProcess } from '../../../shared/processes/run-process.ts';
import { printable } from '../../../shared/text.ts';
import { expandVariables } from '../../../shared/variables.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { OpenSessionOptions } from '../session.ts';
import { MessageLines } from './message-lines.ts';
import { parseReceived } from './parse-message.ts';
import { longestMessageBytes, type Wire, type WireEnd, WireError, type WireListener } from './wire.ts';

type StdioDefinition = Extract<ServerDefinition, { transport: 'stdio' }>;

type StdioOptions = Pick<OpenSessionOptions, 'directory' | 'env' | 'processTag'>;

const stderrHeadBytes = 16_384;
const stderrTailBytes = 16_384;

/** Time between the end of a server's input and the signal to end. */
const shutdownGraceMs = 500;

/** The program of a server with all that it started, and what it prints to stderr. */
class ServerProcess implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** Rejects when it could not be started. */
  readonly exit: Promise<ProcessExit>;
  readonly tag: string;
  readonly #stderr = new BoundedOutput(stderrHeadBytes, stderrTailBytes);
  readonly #stopping = new AbortController();

  constructor(definition: StdioDefinition, options: StdioOptions) {
    this.tag = options.processTag ?? randomUUID();
    const { command, args, env, cwd = '.' } = expandVariables(definition, options.env);
    const folder = resolve(options.directory, cwd);
    if (!existsSync(folder)) throw notStarted(`its working folder "${folder}" does not exist`);
    const { tag } = this;
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
function notStarted(why: string): WireError {
  return new WireError({ code: 'MCP_SERVER_NOT_STARTED', what: `could not be started: ${why}` });
}

/** Most bytes that a server may leave unread. */
const mostUnreadBytes = 64 * 1024 * 1024;

/** Time in which a server that closed one of its pipes may end by itself, which gives a better reason than the pipe. */
const lastWordsMs = 250;

/** One message a line, over the standard streams of a program that this starts and ends. */
export class StdioWire implements Wire {
  readonly #listener: WireListener;
  readonly #program: ServerProcess;
  #isOver = false;
  #lastWords: NodeJS.Timeout | undefined;

  /** Throws a WireError when it is known at once that the program cannot be started. */
  constructor(definition: StdioDefinition, options: StdioOptions, listener: WireListener) {
    this.#listener = listener;
    this.#program = new ServerProcess(definition, options);
    const lines = new MessageLines(longestMessageBytes, {
      onLine: (line, isText) => this.#take(line, isText),
      onTooLong: (beginning) => this.#tooLong(beginning),
    });
    const { stdout, stdin } = this.#program.child;
    stdout.on('data', (chunk: Buffer) => {
      if (!this.#isOver) lines.append(chunk);
    });
    stdout.on('end', () => this.#afterLastWords('closed its stdout, so no answer can come'));
    stdin.on('error', () => this.#afterLastWords('closed its stdin, so no request can be sent'));
    this.#program.exit.then(
      (exit) => this.#end({ code: 'MCP_SERVER_DIED', what: `ended ${howItEnded(exit)}` }),
      (error: Error) => this.#end(notStarted(whyNotStarted(error)).end),
    );
  }

  send(message: Readonly<Record<string, unknown>>): undefined {
    if (this.#isOver) return;
    const { stdin } = this.#program.child;
    stdin.write(`${JSON.stringify(message)}\n`);
    if (stdin.writableLength > mostUnreadBytes)
      this.#giveUp('MCP_PROTOCOL_VIOLATED', `did not read ${mostUnreadBytes} bytes that were sent to it`);
  }

  cancel(): boolean {
    return false;
  }

  useProtocolVersion(): void {
    // Messages over pipes do not carry the version.
  }

  get processTag(): string {
    return this.#program.tag;
  }

  stderr(): string {
    return this.#program.stderr();
  }

  #take(line: string, isText: boolean): void {
    if (this.#isOver) return;
    const text = line.trim();
    if (text === '') return;
    const message = isText ? messageIn(text) : undefined;
    if (message === undefined) this.#listener.onStray(text);
    else this.#listener.onMessage(message);
  }

  #tooLong(beginning: string): void {
    const excerpt = printable(beginning.slice(0, 80));
    const what = `printed a line of more than ${longestMessageBytes} bytes, which begins with ${excerpt}`;
    this.#giveUp('MCP_PROTOCOL_VIOLATED', what);
  }

  #afterLastWords(what: string): void {
    this.#lastWords ??= setTimeout(() => this.#giveUp('MCP_SERVER_DIED', what), lastWordsMs);
  }

  #giveUp(code: ErrorCode, what: string): void {
    this.#end({ code, what });
    this.#program.stop();
  }

  #end(end: WireEnd): void {
    clearTimeout(this.#lastWords);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onEnd(end);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#lastWords);
    await this.#program[Symbol.asyncDispose]();
    clearTimeout(this.#lastWords);
  }
}

/** A message, or several in one line, as one version of the protocol allowed. */
function messageIn(text: string): unknown {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
  const value = parseReceived(text);
  return isRecord(value) || Array.isArray(value) ? value : undefined;
}

function howItEnded({ exitCode, signal }: ProcessExit): string {
  return signal === null ? `with exit code ${exitCode}` : `by the signal ${signal}`;
}

function whyNotStarted(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'there is no such program';
  if (error.code === 'EACCES') return 'permission to execute it is denied';
  return error.message;
}
