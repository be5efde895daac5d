import type { McpAnswer, McpRequestOptions } from './session.ts';

/** A request that was sent and not answered yet. */
export interface WaitingRequest {
  readonly id: number;
  readonly method: string;
  readonly sentAtMs: number;
  readonly dueAtMs: number;
  /** The time limit as its caller knows it, which may have begun before it was sent. */
  readonly timeoutMs: number;
  /** Nothing that its caller waits for: it is not named where the server owes an answer. */
  readonly isInBackground: boolean;
  readonly resolve: (answer: McpAnswer) => void;
  readonly reject: (error: unknown) => void;
}

interface Entry extends WaitingRequest {
  readonly forget: (() => void) | undefined;
}

interface Endings {
  onTimeout(request: WaitingRequest): void;
  onAbort(request: WaitingRequest): void;
}

/** The requests that wait for an answer, with one timer for all of them: one for each would cost more than a call. */
export class WaitingRequests {
  readonly #endings: Endings;
  readonly #entries = new Map<number, Entry>();
  #timer: NodeJS.Timeout | undefined;
  #firesAtMs = Number.POSITIVE_INFINITY;

  constructor(endings: Endings) {
    this.#endings = endings;
  }

  get methods(): string[] {
    const owed = [...this.#entries.values()].filter(({ isInBackground }) => !isInBackground);
    return [...new Set(owed.map(({ method }) => method))];
  }

  add(request: WaitingRequest, { signal }: Pick<McpRequestOptions, 'signal'>): void {
    const { dueAtMs } = request;
    let forget: (() => void) | undefined;
    if (signal) {
      const onAbort = (): void => {
        if (this.take(request.id)) this.#endings.onAbort(request);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      forget = () => signal.removeEventListener('abort', onAbort);
    }
    this.#entries.set(request.id, { ...request, forget });
    if (dueAtMs < this.#firesAtMs) this.#fireAt(dueAtMs);
    if (this.#entries.size === 1) this.#timer?.ref();
  }

  /** The request, which then waits no more; undefined for one that does not wait. */
  take(id: unknown): WaitingRequest | undefined {
    const entry = this.#entries.get(id as number);
    if (!entry) return undefined;
    this.#entries.delete(entry.id);
    entry.forget?.();
    // Nothing is waited for any more, and a program that has nothing else to do may end.
    if (this.#entries.size === 0) this.#timer?.unref();
    return entry;
  }

  rejectAll(error: unknown): void {
    for (const { id } of [...this.#entries.values()]) this.take(id)?.reject(error);
    clearTimeout(this.#timer);
  }

  #fireAt(atMs: number): void {
    clearTimeout(this.#timer);
    this.#firesAtMs = atMs;
    // Timers count whole milliseconds and may be one early.
    this.#timer = setTimeout(() => this.#expire(), Math.ceil(atMs - performance.now()) + 1);
  }

  /** The timer is left alone when requests are answered, so most of the time it finds none whose time is up. */
  #expire(): void {
    const nowMs = performance.now();
    this.#firesAtMs = Number.POSITIVE_INFINITY;
    const byTime = [...this.#entries.values()].sort((a, b) => a.dueAtMs - b.dueAtMs);
    for (const entry of byTime) {
      if (entry.dueAtMs <= nowMs && this.take(entry.id)) this.#endings.onTimeout(entry);
    }
    const next = byTime.find(({ id }) => this.#entries.has(id));
    if (next && Number.isFinite(next.dueAtMs)) this.#fireAt(next.dueAtMs);
  }
}
