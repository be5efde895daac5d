import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../../domain/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { printable } from '../../../shared/text.ts';
import { expandVariables } from '../../../shared/variables.ts';
import type { OpenSessionOptions } from '../session.ts';
import { MessageLines } from './message-lines.ts';
import { parseReceived } from './parse-message.ts';
import { howItEnded, notStarted, ServerProcess, type StdioDefinition } from './server-process.ts';
import { longestMessageBytes, type Wire, type WireEnd, type WireListener } from './wire.ts';

type StdioOptions = Pick<OpenSessionOptions, 'directory' | 'env' | 'processTag'>;

/** Most bytes that a server may leave unread. */
const mostUnreadBytes = 64 * 1024 * 1024;

/** Time in which a server that closed one of its pipes may end by itself, which gives a better reason than the pipe. */
const lastWordsMs = 250;

/** One message a line, over the standard streams of a program that this starts and ends. */
export class StdioWire implements Wire {
  readonly #listener: WireListener;
  readonly #program: ServerProcess;
  readonly processTag: string;
  #isOver = false;
  #lastWords: NodeJS.Timeout | undefined;

  /** Throws a WireError when it is known at once that the program cannot be started. */
  constructor(definition: StdioDefinition, options: StdioOptions, listener: WireListener) {
    this.#listener = listener;
    const { directory, env, processTag = randomUUID() } = options;
    this.processTag = processTag;
    this.#program = new ServerProcess(expandVariables(definition, env), { directory, env, tag: processTag });
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

function whyNotStarted(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'there is no such program';
  if (error.code === 'EACCES') return 'permission to execute it is denied';
  return error.message;
}
