import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { AssayError } from '../../../domain/errors.ts';
import serverProgram from '../../interposer/call-server.pl?raw';
import callerPart from '../../interposer/caller.pl?raw';
import type { CallServerNeeds } from '../../interposer/shim.ts';

/** A shim that may report calls. */
export interface ServedShim {
  /** Absolute path of the shim, as it is started. */
  readonly path: string;
  readonly name: string;
  /** How many words of its command line come before the arguments of the tool. */
  readonly wordsBefore: number;
  /** Absolute path of the program that the shim gets a descriptor of; undefined where it needs none. */
  readonly program: string | undefined;
}

export interface CallServerRequest extends CallServerNeeds {
  /** Absolute path. */
  readonly socket: string;
  readonly shims: readonly ServedShim[];
  /**
   * Executables that it writes first, by absolute path; their folders exist. This process must not: what it has open for
   * writing could be inherited by whatever it starts meanwhile, and would be refused as busy until that has started.
   */
  readonly files: Readonly<Record<string, string | Buffer>>;
}

/** Message of the server about a call, by a number that it gives to each. */
export type CallFrame =
  | { readonly kind: 'start' | 'end'; readonly call: number; readonly content: Buffer }
  | { readonly kind: 'closed'; readonly call: number };

/** Counts of the server when it ended. */
export interface ServerCounts {
  /** Connections of processes that are not a shim. */
  readonly foreign: number;
  /** Messages that were lost because Assay did not read them. */
  readonly dropped: number;
  /** How often the server itself was stopped and continued. */
  readonly stops: number;
}

const headerBytes = 9;
const kinds: Readonly<Record<string, 'start' | 'end' | 'closed'>> = { S: 'start', E: 'end', C: 'closed' };
/** How long the server may take to hand on what is left; it takes milliseconds. */
const finishTimeoutMs = 10_000;

/** The process that receives the calls; it lives as long as this one wants it, and ends when this one dies. */
export class CallServer implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #onFrame: (frame: CallFrame) => void;
  readonly #ended: Promise<unknown>;
  readonly #isReady: Promise<void>;
  #ready: () => void = () => undefined;
  #pending: Buffer = Buffer.alloc(0);
  #counts: ServerCounts | undefined;
  #complaint = '';

  private constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, onFrame: (frame: CallFrame) => void) {
    this.#child = child;
    this.#onFrame = onFrame;
    this.#isReady = new Promise((resolve) => {
      this.#ready = resolve;
    });
    this.#ended = once(child, 'close').catch((error: unknown) => {
      this.#complaint ||= String(error);
    });
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = `${this.#complaint}${text}`.slice(0, 1_000);
    });
  }

  /** Starts the server; calls can be made when it has started. */
  static async start(request: CallServerRequest, onFrame: (frame: CallFrame) => void): Promise<CallServer> {
    const { socket, shims, files, perl, sendmsg, checksCallers } = request;
    const served = shims.flatMap(({ path, name, wordsBefore, program }) => [
      path,
      name,
      String(wordsBefore),
      program ?? '',
    ]);
    const written = Object.entries(files);
    const numbers = [sendmsg ?? 0, checksCallers ? 1 : 0, written.length].map(String);
    const settings = [socket, perl, ...numbers, ...served];
    const child = spawn(perl, ['-e', callerPart + serverProgram, ...settings], {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const server = new CallServer(child, onFrame);
    child.stdin.write(Buffer.concat(written.flatMap(([path, content]) => fileFrame(path, content))));
    await Promise.race([server.#isReady, server.#ended]);
    if (child.exitCode === null && child.pid !== undefined) return server;
    throw new AssayError('WORKSPACE_FAILED', `The recorder could not be started: ${server.#complaint.trim()}`);
  }

  /** Ends the server after all that it has heard; undefined where it was ended by another process before. */
  async finish(): Promise<ServerCounts | undefined> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), finishTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
    return this.#counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #read(chunk: Buffer): void {
    let rest = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (rest.length >= headerBytes) {
      const end = headerBytes + rest.readUInt32BE(5);
      if (rest.length < end) break;
      this.#take(rest.toString('latin1', 0, 1), rest.readUInt32BE(1), rest.subarray(headerBytes, end));
      rest = rest.subarray(end);
    }
    this.#pending = rest;
  }

  #take(letter: string, call: number, content: Buffer): void {
    if (letter === 'R') this.#ready();
    if (letter === 'F') {
      const [foreign = 0, dropped = 0, stops = 0] = content.toString('latin1').split('\0').map(Number);
      this.#counts = { foreign, dropped, stops };
    }
    const kind = kinds[letter];
    if (kind === 'closed') this.#onFrame({ kind, call });
    else if (kind !== undefined) this.#onFrame({ kind, call, content });
  }
}

/** The lengths of the path and of the content, and then both. */
function fileFrame(path: string, content: string | Buffer): Buffer[] {
  const [name, bytes] = [Buffer.from(path), Buffer.from(content)];
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(name.length, 0);
  lengths.writeUInt32BE(bytes.length, 4);
  return [lengths, name, bytes];
}
