import { isRecord } from '../../../shared/json.ts';
import type { Activity, Frame, HandCall, ServerRequestItem } from '../api/workbench.ts';

const mostFrames = 1_000;
const mostItems = 200;
const framesAtOnce = 500;
const longestFrame = 100_000;

type Draft<Item> = Omit<Item, 'sequence'>;

/**
 * The history of one session: frames, calls and requests of the server, each with the number of its last change, so a
 * reader gets what changed since it looked. Only the newest are kept.
 */
export class SessionActivity {
  readonly #frames: Frame[] = [];
  readonly #calls = new Map<string, HandCall>();
  readonly #requests = new Map<string, ServerRequestItem>();
  readonly #wake = new Set<() => void>();
  readonly #methods = new Map<string, string>();
  #sequence = 0;
  #detailSequence = 0;

  addFrame(direction: Frame['direction'], message: unknown, text: string): void {
    const summary = this.#summaryOf(direction, message);
    const leftOut = Math.max(0, text.length - longestFrame);
    const sequence = this.#next();
    this.#frames.push({ sequence, at: Date.now(), direction, summary, text: text.slice(0, longestFrame), leftOut });
    if (this.#frames.length > mostFrames) this.#frames.shift();
    this.#changed();
  }

  putCall(call: Draft<HandCall>): void {
    this.#put(this.#calls, call);
  }

  findCall(id: string): HandCall | undefined {
    return this.#calls.get(id);
  }

  putRequest(request: Draft<ServerRequestItem>): void {
    this.#put(this.#requests, request);
  }

  findRequest(id: string): ServerRequestItem | undefined {
    return this.#requests.get(id);
  }

  get openCalls(): HandCall[] {
    return [...this.#calls.values()].filter(({ state }) => state === 'open');
  }

  /** The status, the login or the lists of the server are not what they were. */
  detailChanged(): void {
    this.#detailSequence = this.#next();
    this.#changed();
  }

  since(after: number): Omit<Activity, 'status'> {
    const isNewer = ({ sequence }: { readonly sequence: number }): boolean => sequence > after;
    return {
      sequence: this.#sequence,
      detailSequence: this.#detailSequence,
      calls: [...this.#calls.values()].filter(isNewer),
      requests: [...this.#requests.values()].filter(isNewer),
      frames: this.#frames.filter(isNewer).slice(-framesAtOnce),
    };
  }

  /** Resolves at the first change after a point, when the time is up, or when the signal is aborted. */
  async wait(after: number, timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.#sequence > after || timeoutMs === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => wake(), timeoutMs);
      const wake = (): void => {
        clearTimeout(timer);
        this.#wake.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wake.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #put<Item extends { readonly id: string; readonly sequence: number }>(
    items: Map<string, Item>,
    item: Draft<Item>,
  ): void {
    const whole = { ...item, sequence: this.#next() } as unknown as Item;
    items.set(whole.id, whole);
    const [oldest] = items.keys();
    if (items.size > mostItems && oldest !== undefined) items.delete(oldest);
    this.#changed();
  }

  #next(): number {
    return ++this.#sequence;
  }

  #changed(): void {
    for (const wake of [...this.#wake]) wake();
  }

  /** The method of a request or notification; of an answer also what it answers. */
  #summaryOf(direction: Frame['direction'], message: unknown): string {
    if (!isRecord(message)) return Array.isArray(message) ? 'batch' : 'not an object';
    const { id, method } = message;
    const opposite = direction === 'to-server' ? 'from-server' : 'to-server';
    if (typeof method === 'string') {
      if (id !== undefined) this.#methods.set(`${direction} ${String(id)}`, method);
      return method;
    }
    const key = `${opposite} ${String(id)}`;
    const answered = this.#methods.get(key) ?? 'an unknown request';
    this.#methods.delete(key);
    return `${'error' in message ? 'error' : 'result'} of ${answered}`;
  }
}
