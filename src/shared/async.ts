import { setMaxListeners } from 'node:events';

/** Makes a value on first use and returns the same one ever after. */
export function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The promise's own end, or a rejection with the reason of the signal as soon as it is aborted. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** How much work may go on at a time, where that can change. */
export interface Room {
  readonly limit: number;
  /** Calls the listener whenever the limit changes. */
  onChange(listener: () => void): void;
}

/**
 * Runs `work` on the items of an async sequence, at most `room` at a time, pulling the next item only when there is
 * room for it, so the sequence may be endless. The first rejection stops the pulling and is thrown when all
 * work in flight has settled; a sequence that was not read to its end is closed.
 */
export async function pullConcurrently<Item>(
  items: AsyncIterator<Item>,
  room: number | Room,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const limitNow = typeof room === 'number' ? () => room : () => room.limit;
  let failure: { readonly error: unknown } | undefined;
  let isRead = false;
  let pulling = 0;
  const pull = async (): Promise<void> => {
    try {
      while (!failure && !isRead && pulling <= limitNow()) {
        const next = await items.next();
        if (next.done) isRead = true;
        if (next.done || failure) return;
        await work(next.value);
      }
    } catch (error) {
      failure ??= { error };
    }
  };
  await new Promise<void>((resolve) => {
    const fill = (): void => {
      for (; !failure && !isRead && pulling < limitNow(); pulling++) void pull().then(leave);
      if (pulling === 0 && (failure || isRead)) resolve();
    };
    const leave = (): void => {
      pulling--;
      fill();
    };
    if (typeof room !== 'number') room.onChange(fill);
    fill();
  });
  if (!failure) return;
  await items.return?.();
  throw (failure as { readonly error: unknown }).error;
}

/** Waits so long, or until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

/**
 * A signal that is aborted with another one, or when the time is up. It replaces `AbortSignal.any` over
 * `AbortSignal.timeout`: Node 20 loses that timer when garbage is collected while the signal has no listener.
 */
export class TimeLimit implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer.reason);

  constructor(ms: number, outer: AbortSignal) {
    this.#outer = outer;
    this.#timer = setTimeout(() => {
      this.#controller.abort(new DOMException('The time is up.', 'TimeoutError'));
    }, ms);
    this.#timer.unref();
    // The trials of a run share one signal; each listens only while it runs.
    setMaxListeners(0, outer);
    if (outer.aborted) this.#onAbort();
    else outer.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#onAbort);
  }
}
