import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { isRecord } from '../../shared/json.ts';
import type { BrowserEvent, Chromium } from './chromium.ts';
import pageScript from './page-script.js?raw';

const cookiesSchema = z.array(z.object({ name: z.string(), value: z.string() }));

/** A question of a page that stops everything else until it is answered. */
interface Dialog {
  readonly type: string;
  readonly message: string;
}

const quietMs = 150;
const lookAgainMs = 25;
const patienceMs = 5_000;

/** Requests that stay open as long as the page. */
const endless = new Set(['EventSource', 'WebSocket', 'Ping', 'Preflight']);

/** One tab of the browser. */
export class Tab {
  readonly targetId: string;
  readonly #chromium: Chromium;
  readonly #session: string;
  readonly #requests = new Set<string>();
  readonly #wanted = new Set<string>();
  #isLoading = false;
  #dialog: Dialog | undefined;
  #end: string | undefined;
  #onDialog: (() => void) | undefined;

  constructor(chromium: Chromium, targetId: string, session: string) {
    this.#chromium = chromium;
    this.targetId = targetId;
    this.#session = session;
    chromium.onEvent((event) => {
      if (event.sessionId === session) this.#take(event);
    });
  }

  /** Begins to follow what happens in it. */
  async watch(): Promise<void> {
    for (const domain of ['Page', 'Network', 'Inspector']) await this.#send(`${domain}.enable`);
  }

  /** Hosts that its pages requested something from, with their ports. */
  get wanted(): ReadonlySet<string> {
    return this.#wanted;
  }

  get dialog(): Dialog | undefined {
    return this.#dialog;
  }

  /** Why nothing can be done or read in it; undefined while it is there. */
  get end(): string | undefined {
    return this.#chromium.end ?? this.#end;
  }

  close(): void {
    this.#end ??= 'the tab was closed';
  }

  /** Opens an address; throws where nothing answers there. */
  async open(url: string): Promise<void> {
    const { errorText } = await this.#send('Page.navigate', { url });
    await this.settled();
    if (typeof errorText === 'string' && errorText !== 'net::ERR_ABORTED') throw new Error(`${url}: ${errorText}`);
  }

  /** Goes back by a page; false where there is none. */
  async back(): Promise<boolean> {
    const { currentIndex, entries } = await this.#send('Page.getNavigationHistory');
    const entry = Array.isArray(entries) ? entries[Number(currentIndex) - 1] : undefined;
    if (!isRecord(entry)) return false;
    await this.#send('Page.navigateToHistoryEntry', { entryId: entry.id });
    await this.settled();
    return true;
  }

  /** Runs a function of the page script, out of reach of the scripts of the page. */
  async call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    const world = { frameId: this.targetId, worldName: 'assay' };
    const { executionContextId } = await this.#send('Page.createIsolatedWorld', world);
    const { result, exceptionDetails } = await this.#send('Runtime.callFunctionOn', {
      executionContextId,
      functionDeclaration: `function (name, args) { ${pageScript}\nreturn globalThis.assayPage[name](...args); }`,
      arguments: [{ value: name }, { value: args }],
      returnByValue: true,
    });
    if (isRecord(exceptionDetails)) throw new Error(messageOf(exceptionDetails));
    return isRecord(result) ? result.value : undefined;
  }

  async click({ x, y }: { readonly x: number; readonly y: number }): Promise<void> {
    const mouse = { x, y, button: 'left', clickCount: 1 };
    await this.#send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
    await this.#untilDialog(this.#send('Input.dispatchMouseEvent', { type: 'mousePressed', ...mouse }));
    await this.#untilDialog(this.#send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...mouse }));
  }

  /** A tab behind another is not drawn. */
  async front(): Promise<void> {
    await this.#send('Page.bringToFront');
  }

  async insert(text: string): Promise<void> {
    await this.#send('Input.insertText', { text });
  }

  async press(key: string): Promise<void> {
    const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined;
    const code = keyCodes[key];
    const pressed = { key, ...(text !== undefined && { text }), ...(code && { windowsVirtualKeyCode: code }) };
    const type = text === undefined ? 'rawKeyDown' : 'keyDown';
    await this.#untilDialog(this.#send('Input.dispatchKeyEvent', { type, ...pressed }));
    await this.#untilDialog(this.#send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed }));
  }

  async answerDialog(accept: boolean, promptText: string | undefined): Promise<void> {
    await this.#send('Page.handleJavaScriptDialog', { accept, ...(promptText !== undefined && { promptText }) });
    this.#dialog = undefined;
    await this.settled();
  }

  /** A JPEG of what can be seen. */
  async picture(): Promise<Buffer> {
    await this.front();
    const { data } = await this.#send('Page.captureScreenshot', { format: 'jpeg', quality: 60 });
    return Buffer.from(String(data), 'base64');
  }

  /** Cookies that the page has, also those that its scripts cannot read. */
  async cookies() {
    const { cookies } = await this.#send('Network.getCookies');
    return cookiesSchema.parse(cookies);
  }

  /** Waits until nothing is loaded any more; false where that takes too long. */
  async settled(): Promise<boolean> {
    const until = performance.now() + patienceMs;
    let quietSince: number | undefined;
    while (performance.now() < until && this.#dialog === undefined && this.end === undefined) {
      const isBusy = this.#isLoading || this.#requests.size > 0;
      if (isBusy) quietSince = undefined;
      else quietSince ??= performance.now();
      if (quietSince !== undefined && performance.now() - quietSince >= quietMs) return true;
      await delay(lookAgainMs);
    }
    return false;
  }

  /** An input that opens a dialog is answered only when the dialog is. */
  #untilDialog(done: Promise<unknown>): Promise<unknown> {
    const opened = new Promise<void>((resolve) => {
      this.#onDialog = resolve;
    });
    return Promise.race([done, opened]);
  }

  #send(method: string, params: Readonly<Record<string, unknown>> = {}) {
    if (this.end !== undefined) return Promise.reject(new Error(this.end));
    return this.#chromium.send(method, params, this.#session);
  }

  #take({ method, params }: BrowserEvent): void {
    const { requestId, type, frameId, request } = params;
    if (method === 'Network.requestWillBeSent' && isRecord(request)) this.#wanted.add(hostOf(String(request.url)));
    if (method === 'Network.requestWillBeSent' && !endless.has(String(type))) this.#requests.add(String(requestId));
    else if (method === 'Network.loadingFinished' || method === 'Network.loadingFailed')
      this.#requests.delete(String(requestId));
    else if (method === 'Page.frameStartedLoading' && frameId === this.targetId) this.#isLoading = true;
    else if (method === 'Page.frameStoppedLoading' && frameId === this.targetId) this.#isLoading = false;
    // Requests of the page before get no end.
    else if (method === 'Page.frameNavigated' && isRecord(params.frame) && params.frame.id === this.targetId)
      this.#requests.clear();
    else if (method === 'Page.javascriptDialogOpening') {
      this.#dialog = { type: String(type), message: String(params.message) };
      this.#onDialog?.();
    } else if (method === 'Page.javascriptDialogClosed') this.#dialog = undefined;
    else if (method === 'Inspector.targetCrashed') this.#end ??= 'the tab crashed';
  }
}

const keyCodes: Readonly<Record<string, number>> = {
  Enter: 13,
  Tab: 9,
  Escape: 27,
  Backspace: 8,
  Delete: 46,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  PageUp: 33,
  PageDown: 34,
  Home: 36,
  End: 35,
};

/** Keys that have a name. */
export const namedKeys: readonly string[] = Object.keys(keyCodes);

function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (/^(https|wss):$/.test(protocol) ? 443 : 80)}`;
}

function messageOf({ exception, text }: Readonly<Record<string, unknown>>): string {
  const description = isRecord(exception) ? String(exception.description ?? '') : '';
  return description === '' ? String(text) : (description.split('\n')[0] ?? '').replace(/^(?:\w*Error|Uncaught): /, '');
}
