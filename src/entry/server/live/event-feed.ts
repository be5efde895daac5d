import { randomBytes } from 'node:crypto';
import type { RunStreamEvent } from '../api/runs.ts';

/** An event with the id that a client resumes from. */
export interface FeedEvent {
  readonly id: string;
  readonly event: RunStreamEvent;
}

const mostKept = 256;
const endMark = '.end';

/** True for the id of the last event of a feed, of this one or another: a reader that has it has everything. */
export function isEndId(id: string | undefined): boolean {
  return id?.endsWith(endMark) ?? false;
}

/**
 * Events of one run for any number of readers, each at its own pace. Only the newest are kept: a reader that falls
 * further behind goes on with the oldest of those, and has lost nothing, since each progress event has the whole state.
 */
export class EventFeed {
  /** Ids of another feed, or of an earlier start of the server, mean nothing here. */
  readonly #name = randomBytes(6).toString('hex');
  readonly #events: FeedEvent[] = [];
  readonly #wake = new Set<() => void>();
  #published = 0;
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  publish(event: RunStreamEvent): void {
    if (this.#isClosed) return;
    const isEnd = event.type === 'finished' || event.type === 'failed';
    this.#events.push({ id: `${this.#name}.${this.#published}${isEnd ? endMark : ''}`, event });
    this.#published += 1;
    if (this.#events.length > mostKept) this.#events.shift();
    this.#wakeAll();
  }

  /** Readers end when they have read what there is. */
  close(): void {
    this.#isClosed = true;
    this.#wakeAll();
  }

  /** The events after the one with this id; from the newest progress on where the id is unknown. */
  async *read(lastId: string | undefined, signal: AbortSignal): AsyncGenerator<FeedEvent, void> {
    let next = this.#after(lastId);
    while (!signal.aborted) {
      const oldest = this.#published - this.#events.length;
      next = Math.max(next, oldest);
      const found = this.#events[next - oldest];
      if (found) {
        next += 1;
        yield found;
      } else if (this.#isClosed) return;
      else await this.#more(signal);
    }
  }

  #after(lastId: string | undefined): number {
    const [name, number = ''] = lastId?.split('.') ?? [];
    if (name === this.#name && /^\d{1,9}$/.test(number)) return Math.min(Number(number) + 1, this.#published);
    const newest = this.#events.findLastIndex(({ event }) => event.type === 'progress');
    return this.#published - this.#events.length + Math.max(newest, 0);
  }

  #more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wake.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wake.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #wakeAll(): void {
    for (const wake of [...this.#wake]) wake();
  }
}
