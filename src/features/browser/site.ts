import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AssayError } from '../../domain/errors.ts';
import { ProcessTree, taggedEnvironment } from '../../shared/processes/process-tree.ts';

interface SiteRequest {
  readonly command: string;
  /** Absolute: where the command runs. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const readyMs = 30_000;
const betweenTriesMs = 50;
const lastChars = 500;

/** Ends the whole group when the command does, and when this program is gone and with it the other end of the input. */
const watched = '{ sh -c "$1" </dev/null; kill -KILL 0; } & cat >/dev/null; kill -KILL 0';

/** The server of the pages of one trial, which no other trial changes. */
export class Site implements Disposable {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #tree: ProcessTree;
  #printed = '';
  #hasEnded = false;

  private constructor(port: number, { command, directory, env }: SiteRequest) {
    this.port = port;
    const tag = `site-${randomUUID()}`;
    this.#child = spawn('/bin/sh', ['-c', watched, 'site', command], {
      cwd: directory,
      env: taggedEnvironment({ ...env, PORT: String(port) }, tag),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#tree = new ProcessTree(this.#child.pid, { tag, isNamespaced: false });
    for (const event of ['error', 'exit'] as const) this.#child.once(event, () => this.#noteEnd());
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#printed = (this.#printed + text).slice(-lastChars);
      });
    }
    this.#child.stdin?.on('error', () => undefined);
  }

  /** Starts it and waits until it answers. */
  static async start(request: SiteRequest): Promise<Site> {
    const site = new Site(await freePort(), request);
    const until = performance.now() + readyMs;
    while (!(await isOpen(site.port))) {
      const problem = site.#problem(performance.now() > until);
      if (problem === undefined && !request.signal.aborted) {
        await delay(betweenTriesMs);
        continue;
      }
      site[Symbol.dispose]();
      throw new AssayError('SITE_NOT_READY', `\`${request.command}\` ${problem ?? 'was interrupted'}`);
    }
    return site;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  [Symbol.dispose](): void {
    this.#tree.endAll();
    this.#tree[Symbol.dispose]();
  }

  #noteEnd(): void {
    this.#hasEnded = true;
  }

  #problem(isLate: boolean): string | undefined {
    const what = this.#hasEnded ? 'ended' : isLate ? `did not answer for ${readyMs / 1_000} s` : undefined;
    if (what === undefined) return undefined;
    const printed = this.#printed.trim();
    return `${what} on port ${this.port}${printed === '' ? '.' : `: ${printed}`}`;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** `localhost` is either family, and programs choose one of them. */
async function isOpen(port: number): Promise<boolean> {
  const tries = ['127.0.0.1', '::1'].map(
    (host) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port });
        socket.once('connect', () => resolve(true));
        socket.once('error', () => resolve(false));
        socket.once('close', () => resolve(false));
        socket.once('connect', () => socket.destroy());
      }),
  );
  return (await Promise.all(tries)).includes(true);
}
