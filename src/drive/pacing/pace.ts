import type { RunWait } from '../../domain/run.ts';
import { untilAborted } from '../../shared/async.ts';
import { retryAfterMs } from '../../shared/http/retry-after.ts';
import type { Clock, WaitClock } from './clock.ts';
import { readRateLimits } from './rate-limit-headers.ts';

/** The head of a response. */
interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly sentAtMs: number;
}

const noFigures = (): Omit<RunWait, 'origin'> => ({ refusals: 0, waits: 0, waitedMs: 0, lowest: null });

/** After a longer pause it is better to ask again than to believe what was said that long ago. */
const longestPauseMs = 60_000;

/**
 * How many requests one server takes at a time with one key: as many as there are until it refuses one or says that
 * few are left, then half as many, and one more for each round of requests that it answers. It only ever lets fewer
 * requests through, and sends none itself.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #queue: { wake(): void }[] = [];
  #limit = Number.POSITIVE_INFINITY;
  #inFlight = 0;
  #notBeforeMs = 0;
  #lastCutMs = Number.NEGATIVE_INFINITY;
  #figures = noFigures();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Figures since they were last taken. */
  takeFigures(): Omit<RunWait, 'origin'> {
    const figures = this.#figures;
    this.#figures = noFigures();
    return figures;
  }

  /** Resolves when it is the caller's turn, with the function that ends the turn. */
  async enter(signal: AbortSignal, clock?: WaitClock): Promise<() => void> {
    if (this.#queue.length > 0 || !this.#hasRoom()) await this.#wait(signal, clock);
    this.#inFlight += 1;
    this.#queue[0]?.wake();
    return () => {
      this.#inFlight -= 1;
      this.#queue[0]?.wake();
    };
  }

  /** Learns from a response; to be called before the turn of its request ends. */
  observe({ status, headers, sentAtMs }: ResponseHead): void {
    const nowMs = this.#clock.nowMs();
    const { remainingRequests, usedUpForMs } = readRateLimits(headers, nowMs);
    if (status === 429 || status === 503) {
      this.#figures.refusals += 1;
      this.#pauseFor(retryAfterMs(headers, nowMs) ?? usedUpForMs ?? 0, nowMs);
      // Requests that were sent together are refused together: that is one reason to slow down, not many.
      if (sentAtMs < this.#lastCutMs) return;
      this.#lastCutMs = nowMs;
      this.#cutTo(Math.floor(Math.min(this.#limit, this.#inFlight) / 2));
      return;
    }
    if (usedUpForMs !== undefined) this.#pauseFor(usedUpForMs, nowMs);
    if (remainingRequests !== undefined && remainingRequests < Math.min(this.#limit, this.#inFlight)) {
      this.#cutTo(remainingRequests);
    } else if (status < 400 && this.#inFlight >= Math.floor(this.#limit)) this.#limit += 1 / this.#limit;
    this.#queue[0]?.wake();
  }

  #cutTo(limit: number): void {
    this.#limit = Math.max(1, limit);
    this.#figures.lowest = Math.min(this.#figures.lowest ?? this.#limit, this.#limit);
  }

  #pauseFor(ms: number, nowMs: number): void {
    this.#notBeforeMs = Math.max(this.#notBeforeMs, nowMs + Math.min(ms, longestPauseMs));
  }

  #hasRoom(): boolean {
    return this.#inFlight < Math.floor(this.#limit) && this.#clock.nowMs() >= this.#notBeforeMs;
  }

  async #wait(signal: AbortSignal, clock: WaitClock | undefined): Promise<void> {
    const ticket = { wake: (): void => undefined };
    const release = clock?.hold();
    const began = this.#clock.nowMs();
    this.#queue.push(ticket);
    try {
      while (this.#queue[0] !== ticket || !this.#hasRoom()) {
        const pausedMs = this.#notBeforeMs - this.#clock.nowMs();
        if (pausedMs > 0) await this.#clock.wait(pausedMs, signal);
        else await untilAborted(woken(ticket), signal);
      }
      this.#queue.shift();
    } catch (error) {
      this.#queue.splice(this.#queue.indexOf(ticket), 1);
      this.#queue[0]?.wake();
      throw error;
    } finally {
      this.countWait(this.#clock.nowMs() - began);
      release?.();
    }
  }

  /** Also of a request that was refused and waited elsewhere until it was sent again. */
  countWait(ms: number): void {
    this.#figures.waits += 1;
    this.#figures.waitedMs += ms;
  }
}

function woken(ticket: { wake(): void }): Promise<void> {
  return new Promise((resolve) => {
    ticket.wake = resolve;
  });
}

/** The paces of all servers that a process sends requests to for a run. */
export class Paces {
  readonly #clock: Clock;
  readonly #paces = new Map<string, { readonly origin: string; readonly pace: Pace }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Of one server and one key: limits are counted for each key. */
  of(origin: string, key: string): Pace {
    const id = `${origin} ${key}`;
    const opened = this.#paces.get(id)?.pace;
    if (opened) return opened;
    const pace = new Pace(this.#clock);
    this.#paces.set(id, { origin, pace });
    return pace;
  }

  /** Figures since they were last taken, of servers that refused or delayed something. */
  takeFigures(): RunWait[] {
    return [...this.#paces.values()].flatMap(({ origin, pace }) => {
      const figures = pace.takeFigures();
      return figures.refusals + figures.waits === 0 ? [] : [{ origin, ...figures }];
    });
  }
}
