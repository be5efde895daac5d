import { isRecord } from '../../shared/json.ts';
import type { Chromium } from './chromium.ts';
import { Tab } from './tab.ts';

/** The tabs of a browser; one of them is used. */
export class Tabs {
  readonly #chromium: Chromium;
  readonly #tabs = new Map<string, Tab>();
  /** The listeners of pages that open their tabs are the first to know. */
  readonly #watching = new Map<string, Promise<void>>();
  #current: Tab | undefined;

  private constructor(chromium: Chromium) {
    this.#chromium = chromium;
    chromium.onEvent(({ method, params }) => {
      if (method === 'Target.attachedToTarget') this.#attached(params);
      if (method === 'Target.targetDestroyed') this.#tabs.get(String(params.targetId))?.close();
    });
  }

  static async follow(chromium: Chromium): Promise<Tabs> {
    const tabs = new Tabs(chromium);
    await chromium.send('Target.setDiscoverTargets', { discover: true });
    await chromium.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
    await chromium.send('Browser.setDownloadBehavior', { behavior: 'deny' });
    return tabs;
  }

  /** The tab that was used last. */
  get current(): Tab | undefined {
    return this.#current;
  }

  /** Those that are open. */
  get open(): readonly Tab[] {
    return [...this.#tabs.values()].filter(({ end }) => end === undefined);
  }

  /** Hosts that pages requested something from; the browser itself requests more. */
  get wanted(): ReadonlySet<string> {
    return new Set([...this.#tabs.values()].flatMap(({ wanted }) => [...wanted]));
  }

  use(tab: Tab): void {
    this.#current = tab;
  }

  /** Opens an empty tab. */
  async add(): Promise<Tab> {
    const { targetId } = await this.#chromium.send('Target.createTarget', { url: 'about:blank' });
    const tab = this.#tabs.get(String(targetId));
    if (!tab) throw new Error('the browser opened no tab');
    await this.#watching.get(tab.targetId);
    return tab;
  }

  #attached({ sessionId, targetInfo }: Readonly<Record<string, unknown>>): void {
    if (!isRecord(targetInfo) || targetInfo.type !== 'page') return;
    const targetId = String(targetInfo.targetId);
    const tab = new Tab(this.#chromium, targetId, String(sessionId));
    this.#tabs.set(targetId, tab);
    this.#watching.set(
      targetId,
      tab.watch().catch(() => undefined),
    );
    // Who opens a tab from the one that is used wants to use it.
    if (typeof targetInfo.openerId === 'string' && targetInfo.openerId === this.#current?.targetId) this.#current = tab;
  }
}
