import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { AssayError } from '../../domain/errors.ts';
import { bubblewrapMounts } from '../../drive/workspace/bubblewrap-mounts.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { ProcessTree, taggedEnvironment } from '../../shared/processes/process-tree.ts';
import { findOnPath } from '../../shared/processes/programs-on-path.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An event of the browser, or of one of its tabs. */
export interface BrowserEvent {
  readonly method: string;
  readonly params: Fields;
  readonly sessionId: string | undefined;
}

interface ChromiumRequest {
  /** Absolute. */
  readonly program: string;
  /** Absolute; empty. */
  readonly profile: string;
  readonly home: string;
  /** Host and port of the proxy by which pages reach anything. */
  readonly proxy: string;
  readonly opensPort: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Unique to the trial. */
  readonly tag: string;
}

const answerLimitMs = 30_000;
const farewellMs = 3_000;
const lastChars = 500;

const flags = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-startup-window',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-extensions',
  '--disable-sync',
  '--disable-quic',
  '--password-store=basic',
  '--use-mock-keychain',
  '--lang=en-US',
  '--window-size=1280,800',
  // Without these, pages reach this machine and the network beside the proxy.
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/** With the protocol, an agent could open the files of the user in it, so it sees none of them. */
function confined(
  argv: readonly string[],
  { program, profile, home, env }: Pick<ChromiumRequest, 'program' | 'profile' | 'home' | 'env'>,
): readonly string[] {
  const bwrap = findOnPath(['bwrap'], env.PATH);
  if (bwrap === undefined) {
    throw new AssayError('ISOLATION_UNAVAILABLE', '`browser: { cdp: true }` needs bubblewrap, which is not on PATH.');
  }
  const readable = [dirname(realpathSync(program))];
  const mounts = bubblewrapMounts({ directory: profile, home, tmp: home, writable: [], readable });
  return [bwrap, ...mounts, '--unshare-pid', '--unshare-ipc', '--die-with-parent', '--', ...argv];
}

/** One Chromium, talked to over a pipe; it ends with this program, however that ends. */
export class Chromium implements AsyncDisposable {
  /** Address of the protocol for others; undefined where no port is open. */
  address: string | undefined;
  #end: string | undefined;
  readonly #child: ChildProcess;
  readonly #tree: ProcessTree;
  readonly #closed: Promise<void>;
  readonly #answers = new Map<number, (message: Fields) => void>();
  readonly #listeners: ((event: BrowserEvent) => void)[] = [];
  #lastId = 0;
  #printed = '';

  private constructor(child: ChildProcess, tag: string) {
    this.#child = child;
    this.#tree = new ProcessTree(child.pid, { tag, isNamespaced: false });
    this.#closed = new Promise((resolve) => {
      child.once('error', ({ message }) => this.#ended(message));
      child.once('close', (code, signal) => {
        this.#ended(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
        resolve();
      });
    });
    for (const stream of child.stdio) stream?.on('error', () => undefined);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#print(text));
    let rest = '';
    (child.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop() ?? '';
      for (const message of messages) this.#receive(parseJson(message));
    });
  }

  static async start({ program, profile, home, proxy, opensPort, env, tag }: ChromiumRequest): Promise<Chromium> {
    const own = [`--user-data-dir=${profile}`, `--proxy-server=http://${proxy}`];
    // Its own sandbox does not work for root.
    const ofUser = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const argv = [program, ...flags, ...own, ...ofUser, ...(opensPort ? ['--remote-debugging-port=0'] : [])];
    const [command, ...args] = opensPort ? confined(argv, { program, profile, home, env }) : argv;
    const child = spawn(command ?? program, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
      env: taggedEnvironment(env, tag),
    });
    const chromium = new Chromium(child, tag);
    try {
      await chromium.send('Browser.getVersion');
      return chromium;
    } catch (error) {
      await chromium[Symbol.asyncDispose]();
      const reason = (error as Error).message;
      throw new AssayError('BROWSER_MISSING', `${program} did not start: ${reason}${chromium.#lastWords()}`);
    }
  }

  /** Why it ended; undefined while it runs. */
  get end(): string | undefined {
    return this.#end;
  }

  onEvent(listener: (event: BrowserEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** The result of a command; rejects where the browser refuses it, ends or does not answer. */
  send(method: string, params: Fields = {}, sessionId?: string): Promise<Fields> {
    if (this.#end !== undefined) return Promise.reject(new Error(`the browser is gone: ${this.#end}`));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => settle({ error: { message: `no answer for ${answerLimitMs / 1_000} s` } }),
        answerLimitMs,
      );
      const settle = ({ result, error }: Fields): void => {
        clearTimeout(timer);
        this.#answers.delete(id);
        if (isRecord(error)) reject(new Error(`${method}: ${error.message}`));
        else resolve(isRecord(result) ? result : {});
      };
      this.#answers.set(id, settle);
      (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** Waits until it has ended, and no longer than the limit. */
  async endWithin(limitMs: number): Promise<void> {
    const limit = new AbortController();
    await Promise.race([this.#closed, pause(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)]);
    limit.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const isRunning = this.#end === undefined;
    if (isRunning) {
      this.send('Browser.close').catch(() => undefined);
      await this.endWithin(farewellMs);
    }
    // Helpers of it may be slower.
    this.#tree.endAll();
    if (isRunning) await this.#closed;
    this.#tree[Symbol.dispose]();
  }

  #receive(message: unknown): void {
    if (!isRecord(message)) return;
    const { id, method, params, sessionId } = message;
    if (typeof id === 'number') {
      this.#answers.get(id)?.(message);
      return;
    }
    const session = typeof sessionId === 'string' ? sessionId : undefined;
    const event = { method: String(method), params: isRecord(params) ? params : {}, sessionId: session };
    for (const listener of this.#listeners) listener(event);
  }

  #ended(reason: string): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    for (const settle of this.#answers.values()) settle({ error: { message: reason } });
  }

  #print(text: string): void {
    this.#printed = (this.#printed + text).slice(-10_000);
    this.address ??= /DevTools listening on (ws:\/\/\S+)/.exec(this.#printed)?.[1];
  }

  #lastWords(): string {
    const text = this.#printed.trim().slice(-lastChars);
    return text === '' ? '' : `. It printed: ${text}`;
  }
}
