import type { ChildProcess } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import type { Store } from '../../keep/store/store.ts';
import { ended, startAssay } from './assay.ts';
import { openProjectStore } from './project-store.ts';
import { writeFiles } from './temporary-folder.ts';

/** The browser that pages are looked at with; empty where there is none. */
export const chromiumPath = findChromium() ?? '';

const patienceMs = 20_000;

interface SessionOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Further arguments of `assay serve`. */
  readonly args?: readonly string[];
  /** Puts something into the store before the server starts. */
  readonly fill?: (store: Store) => Promise<void>;
}

/** The built program serving its own project, and a browser that is signed in. */
export class WebSession implements AsyncDisposable {
  readonly folder: string;
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #env: Readonly<Record<string, string>>;
  readonly #args: readonly string[];
  #server: ChildProcess | undefined;
  #origin = '';

  private constructor(
    folder: string,
    browser: Browser,
    context: BrowserContext,
    env: Readonly<Record<string, string>>,
    args: readonly string[],
  ) {
    this.folder = folder;
    this.#browser = browser;
    this.#context = context;
    this.#env = env;
    this.#args = args;
  }

  static async start({ files = {}, env = {}, args = [], fill }: SessionOptions = {}): Promise<WebSession> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'assay-web-')));
    await writeFiles(folder, files);
    if (fill) {
      await using store = await openProjectStore(folder);
      await fill(store);
    }
    const browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ['--no-sandbox', '--disable-gpu'],
      // Scroll bars that take room, as people with a mouse have them.
      ignoreDefaultArgs: ['--hide-scrollbars'],
    });
    const viewport = { width: 1360, height: 900 };
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce', colorScheme: 'light' });
    context.setDefaultTimeout(patienceMs);
    // The same port and token after each start, as with a server of one's own.
    const serverEnv = { ASSAY_SERVE_TOKEN: 'a-token-of-the-browser-tests', ...env };
    const session = new WebSession(folder, browser, context, serverEnv, args);
    await session.serve(await freePort());
    return session;
  }

  /** Starts the server and signs the browser in. */
  async serve(port = Number(new URL(this.#origin).port)): Promise<void> {
    const args = ['serve', ...this.#args, '--json', '--port', String(port)];
    const server = startAssay(args, { cwd: this.folder, env: this.#env });
    this.#server = server;
    const line = await new Promise<string>((resolve, reject) => {
      server.stdout?.once('data', (text) => resolve(String(text)));
      server.once('close', (code) => reject(new Error(`The server ended with ${code}`)));
    });
    const { url } = JSON.parse(line) as { url: string };
    this.#origin = new URL(url).origin;
    const page = await this.#context.newPage();
    await page.goto(url);
    await page.close();
  }

  /** Ends the server as Ctrl-C does. */
  async stopServing(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server || server.exitCode !== null) return;
    const end = ended(server);
    server.kill('SIGINT');
    await end;
  }

  address(path: string): string {
    return new URL(path, this.#origin).href;
  }

  /** A new tab of another browser, which is signed in with a token. */
  async openAs(token: string, path: string): Promise<Page> {
    const context = await this.#browser.newContext({ reducedMotion: 'reduce' });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    await page.goto(this.address(`/?token=${token}`));
    await visit(page, this.address(path));
    return page;
  }

  /** A new tab. */
  newPage(): Promise<Page> {
    return this.#context.newPage();
  }

  /** A new tab at an address, when the page there has its title. */
  async open(path: string): Promise<Page> {
    const page = await this.newPage();
    await visit(page, this.address(path));
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.stopServing();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Goes to an address and waits until the page there has been drawn and nothing in it is being loaded. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await settled(page);
}

/** Waits until the page has a heading and holds no place for what is being loaded. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.locator('[role="status"][aria-label="Loading"]').first().waitFor({ state: 'detached' });
}

/** Waits until what was changed has been drawn. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address !== null && typeof address === 'object' ? address.port : 0;
}
