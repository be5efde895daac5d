import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** One page in a real browser without a window, talked to over a pipe. */
export class BrowserPage implements AsyncDisposable {
  /** Addresses that the page requested, except its own. */
  readonly requests: string[] = [];
  /** Problems of the page: uncaught errors, refused content, printed errors. */
  readonly complaints: string[] = [];
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #answers = new Map<number, (message: Message) => void>();
  readonly #loaded = new Set<string>();
  #whenLoaded: () => void = () => undefined;
  #session: string | undefined;
  #lastId = 0;

  private constructor(child: ChildProcess, profile: string) {
    this.#child = child;
    this.#profile = profile;
    let rest = '';
    (child.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop() ?? '';
      for (const message of messages) this.#receive(JSON.parse(message));
    });
  }

  static async open(program: string): Promise<BrowserPage> {
    const profile = await mkdtemp(join(tmpdir(), 'assay-chromium-'));
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-pipe'];
    const args = [...flags, `--user-data-dir=${profile}`, 'about:blank'];
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true });
    const page = new BrowserPage(child, profile);
    const { targetId } = await page.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await page.send('Target.attachToTarget', { targetId, flatten: true });
    page.#session = String(sessionId);
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await page.send(`${domain}.enable`);
    await page.send('Page.setLifecycleEventsEnabled', { enabled: true });
    return page;
  }

  /** Loads an address; gives the milliseconds until the browser had loaded all of it. */
  async load(address: string): Promise<number> {
    // An address that differs after its `#` only would not be loaded again.
    await this.#navigate('about:blank');
    this.requests.length = 0;
    this.complaints.length = 0;
    return this.#navigate(address);
  }

  async #navigate(address: string): Promise<number> {
    const began = performance.now();
    const { loaderId } = await this.send('Page.navigate', { url: address });
    while (!this.#loaded.has(String(loaderId)))
      await new Promise<void>((resolve) => {
        this.#whenLoaded = resolve;
      });
    return performance.now() - began;
  }

  /** Gives the page another size. */
  async resize(width: number, height: number): Promise<void> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  }

  /** Value of an expression in the page; promises are awaited. */
  async evaluate(expression: string): Promise<unknown> {
    const answer = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    const { result, exceptionDetails } = answer as { result: { value?: unknown }; exceptionDetails?: unknown };
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  /** Waits until an expression is true in the page, or in the one that it is leaving for. */
  async until(expression: string): Promise<void> {
    const waiting = `new Promise((resolve) => { const look = () => (${expression}) ? resolve() : setTimeout(look, 10); look(); })`;
    for (let isLeft = true; isLeft; )
      isLeft = await this.evaluate(waiting).then(
        () => false,
        (error: Error) => {
          if (error.message.includes('navigated or closed')) return true;
          throw error;
        },
      );
  }

  /** Presses and lets go of a key. */
  async press(key: string): Promise<void> {
    const isText = key.length === 1;
    const named = { key, ...(isText ? { text: key } : {}), ...(key === 'Enter' ? { text: '\r' } : {}) };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...named });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
  }

  send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = ++this.#lastId;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    return new Promise((resolve, reject) => {
      this.#answers.set(id, ({ result, error }) =>
        error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result ?? {}),
      );
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('close', resolve));
    this.#session = undefined;
    this.send('Browser.close').catch(() => undefined);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    await closed;
    clearTimeout(timer);
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #receive(message: Message): void {
    const { id, method, params } = message;
    if (id !== undefined) {
      this.#answers.get(id)?.(message);
      this.#answers.delete(id);
      return;
    }
    if (method === 'Network.requestWillBeSent') this.#noteRequest(params as never);
    if (method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded')
      this.complaints.push(JSON.stringify(params));
    if (method === 'Page.lifecycleEvent') this.#noteStage(params as never);
  }

  #noteStage({ loaderId, name }: { loaderId: string; name: string }): void {
    if (name !== 'load') return;
    this.#loaded.add(loaderId);
    this.#whenLoaded();
  }

  #noteRequest({ request, type }: { request: { url: string }; type: string }): void {
    if (type !== 'Document') this.requests.push(request.url);
  }
}
