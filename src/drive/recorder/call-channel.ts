import { type FSWatcher, watch } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { CallLog, Reported } from './call-log.ts';
import { type CallStart, parseCallEnd, parseServedStart } from './call-record.ts';
import { type CallFrame, CallServer, type CallServerRequest } from './call-server/call-server.ts';
import { CallsFolder } from './calls-folder.ts';

/** How shims report their calls to a log. */
export interface CallChannel extends AsyncDisposable {
  /** Hands all that is left to the log. */
  finish(): Promise<void>;
  /** Messages about reports that could not be used. */
  readonly problems: readonly string[];
  /** Why reports may be missing or forged. */
  readonly doubts: readonly string[];
}

/** A folder that shims write files to, for shims that know nothing better: any process can write there. */
export class FolderChannel implements CallChannel {
  readonly #path: string;
  readonly #folder: CallsFolder;
  readonly #log: CallLog;
  readonly #watcher: FSWatcher | undefined;
  #junk = 0;
  #isWhole = true;

  constructor(path: string, log: CallLog) {
    this.#path = path;
    this.#folder = new CallsFolder(path);
    this.#log = log;
    this.#watcher = watchFolder(path, (file) => this.#notice(file));
  }

  get problems(): string[] {
    return this.#junk > 0 ? [`${this.#junk} unexpected files were found in the folder of the recorder`] : [];
  }

  get doubts(): string[] {
    return this.#isWhole ? [] : ['another process removed or filled the folder of the recorder'];
  }

  async finish(): Promise<void> {
    this.#watcher?.close();
    const { calls, strangers, isWhole } = this.#folder.list();
    this.#isWhole = isWhole;
    const found = calls.map((call) => ({ call, start: this.#folder.start(call), end: this.#folder.end(call) }));
    const begun = found.flatMap(({ start, end }) => (start === undefined ? [] : [{ start, end }]));
    this.#junk = strangers + found.length - begun.length;
    for (const { call, start } of found) if (start !== undefined) this.#folder.forget(call);
    this.#log.reportRest(begun);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watcher?.close();
    // The recorded output may contain secrets.
    await rm(this.#path, { recursive: true, force: true });
  }

  /** One that is not written whole yet is left for later. */
  #notice(file: string): void {
    const call = CallsFolder.endedCall(file);
    const end = call === undefined ? undefined : this.#folder.end(call);
    const start = call === undefined || end === undefined ? undefined : this.#folder.start(call);
    if (call === undefined || start === undefined || end === undefined) return;
    this.#folder.forget(call);
    this.#log.ended(start, end);
  }
}

/** Undefined where the machine has no watches left: then all calls are reported when the recorder finishes. */
function watchFolder(path: string, onFile: (name: string) => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, (_, name) => onFile(name ?? ''));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** The end of a namespace is noticed this much later than the death of the processes in it. */
const noticedWithinMs = 1_000;

/** A socket whose server knows which process is at its other end. */
export class SocketChannel implements CallChannel {
  readonly #log: CallLog;
  readonly #running = new Map<number, Reported<CallStart>>();
  readonly #killed = new Map<NodeJS.Timeout, () => void>();
  readonly #problems: string[] = [];
  readonly #doubts: string[] = [];
  readonly #socket: string;
  #server: CallServer | undefined;
  #influenced = 0;
  #unreadable = 0;

  private constructor(socket: string, log: CallLog) {
    this.#socket = socket;
    this.#log = log;
  }

  static async open(request: CallServerRequest, log: CallLog): Promise<SocketChannel> {
    const channel = new SocketChannel(request.socket, log);
    channel.#server = await CallServer.start(request, (frame) => channel.#take(frame));
    return channel;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  get doubts(): readonly string[] {
    return this.#doubts;
  }

  async finish(): Promise<void> {
    const counts = await this.#server?.finish();
    for (const [timer, report] of this.#killed) {
      clearTimeout(timer);
      report();
    }
    this.#log.reportRest([...this.#running.values()].map((start) => ({ start, end: undefined })));
    if (counts === undefined) this.#doubts.push('another process ended the recorder, so invocations may be missing');
    const { foreign = 0, dropped = 0, stops = 0 } = counts ?? {};
    if (stops > 0) this.#doubts.push('another process stopped the recorder, so invocations may be missing');
    if (dropped > 0) this.#doubts.push(`${dropped} messages of the shim were lost, so invocations may be missing`);
    if (this.#influenced > 0)
      this.#doubts.push(
        `${this.#influenced} invocations were traced, loaded other code or made their own mounts, so their records may be forged`,
      );
    if (foreign + this.#unreadable > 0)
      this.#problems.push(
        `${foreign + this.#unreadable} connections to the recorder did not come from the shim and were refused`,
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#killed.keys()) clearTimeout(timer);
    await this.#server?.[Symbol.asyncDispose]();
    // Its folder is kept with the trial, and many programs cannot copy a socket.
    await rm(this.#socket, { force: true });
  }

  #take(frame: CallFrame): void {
    const at = Date.now();
    if (frame.kind === 'start') this.#begin(frame.call, frame.content, at);
    const start = this.#running.get(frame.call);
    if (start === undefined || frame.kind === 'start') return;
    if (frame.kind === 'closed') {
      // At the end of the trial, `finish` says why.
      this.#reportKilled(frame.call, start, at);
      return;
    }
    const content = parseCallEnd({ bytes: frame.content, bytesLeftOut: 0 });
    if (content === undefined) {
      this.#unreadable++;
      this.#reportKilled(frame.call, start, at);
      return;
    }
    this.#running.delete(frame.call);
    this.#log.ended(start, { content, at, isCut: false });
  }

  #begin(call: number, bytes: Buffer, at: number): void {
    const found = parseServedStart(bytes);
    if (found === undefined) {
      this.#unreadable++;
      return;
    }
    const { start, isInfluenced, isCut } = found;
    if (isInfluenced) this.#influenced++;
    this.#running.set(call, { content: start, at, isCut });
  }

  #reportKilled(call: number, start: Reported<CallStart>, at: number): void {
    this.#running.delete(call);
    const report = (): void => this.#log.killed(start, at, noticedWithinMs);
    const timer = setTimeout(() => {
      this.#killed.delete(timer);
      report();
    }, noticedWithinMs);
    this.#killed.set(timer, report);
  }
}
