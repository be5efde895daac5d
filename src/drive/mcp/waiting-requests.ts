import type { Refusal } from './schemas/refusal.ts';
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
  /** Why official clients refuse a result of it; undefined where they take it. */
  readonly refusalIn: ((result: Readonly<Record<string, unknown>>) => Refusal | undefined) | undefined;
  readonly resolve: (answer: McpAnswer) => void;
  readonly reject: (error: unknown) => void;
}

interface Entry {
  readonly request: WaitingRequest;
  readonly followed: FollowedSignal | undefined;
}

/** A signal that some of the requests stop at, heard once for all of them. */
class FollowedSignal {
  readonly signal: AbortSignal;
  readonly ids = new Set<number>();
  readonly #onAbort: () => void;

  constructor(signal: AbortSignal, onAbort: (ids: readonly number[]) => void) {
    this.signal = signal;
    this.#onAbort = () => onAbort([...this.ids]);
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  forget(): void {
    this.signal.removeEventListener('abort', this.#onAbort);
  }
}

interface Endings {
  onTimeout(request: WaitingRequest): void;
  onAbort(request: WaitingRequest): void;
}

/**
 * The requests that wait for an answer, with one timer for all of them and one listener for those with the same
 * signal: one for each would cost more than a call.
 */
export class WaitingRequests {
  readonly #endings: Endings;
  readonly #entries = new Map<number, Entry>();
  /** Of the last request; kept when nothing waits, because the next one mostly has the same. */
  #lastSignal: FollowedSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #firesAtMs = Number.POSITIVE_INFINITY;

  constructor(endings: Endings) {
    this.#endings = endings;
  }

  get methods(): string[] {
    const owed = this.#requests().filter(({ isInBackground }) => !isInBackground);
    return [...new Set(owed.map(({ method }) => method))];
  }

  add(request: WaitingRequest, { signal }: Pick<McpRequestOptions, 'signal'>): void {
    const { id, dueAtMs } = request;
    const followed = signal && this.#follow(signal);
    followed?.ids.add(id);
    this.#entries.set(id, { request, followed });
    if (dueAtMs < this.#firesAtMs) this.#fireAt(dueAtMs);
    if (this.#entries.size === 1) this.#timer?.ref();
  }

  has(id: number): boolean {
    return this.#entries.has(id);
  }

  /** The request, which then waits no more; undefined for one that does not wait. */
  take(id: unknown): WaitingRequest | undefined {
    const entry = this.#entries.get(id as number);
    if (!entry) return undefined;
    const { request, followed } = entry;
    this.#entries.delete(request.id);
    followed?.ids.delete(request.id);
    if (followed !== this.#lastSignal) forgetUnused(followed);
    // Nothing is waited for any more, and a program that has nothing else to do may end.
    if (this.#entries.size === 0) this.#timer?.unref();
    return request;
  }

  /** Nothing is waited for after it. */
  rejectAll(error: unknown): void {
    for (const { id } of this.#requests()) this.take(id)?.reject(error);
    forgetUnused(this.#lastSignal);
    this.#lastSignal = undefined;
    clearTimeout(this.#timer);
  }

  #requests(): WaitingRequest[] {
    return [...this.#entries.values()].map(({ request }) => request);
  }

  #follow(signal: AbortSignal): FollowedSignal {
    if (this.#lastSignal?.signal === signal) return this.#lastSignal;
    forgetUnused(this.#lastSignal);
    this.#lastSignal = new FollowedSignal(signal, (ids) => {
      for (const id of ids) {
        const request = this.take(id);
        if (request) this.#endings.onAbort(request);
      }
    });
    return this.#lastSignal;
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
    const byTime = this.#requests().sort((a, b) => a.dueAtMs - b.dueAtMs);
    for (const request of byTime) {
      if (request.dueAtMs <= nowMs && this.take(request.id)) this.#endings.onTimeout(request);
    }
    const next = byTime.find(({ id }) => this.#entries.has(id));
    if (next && Number.isFinite(next.dueAtMs)) this.#fireAt(next.dueAtMs);
  }
}

function forgetUnused(followed: FollowedSignal | undefined): void {
  if (followed?.ids.size === 0) followed.forget();
}
