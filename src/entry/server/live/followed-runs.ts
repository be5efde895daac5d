import type { Store } from '../../../keep/store/store.ts';
import type { FeedEvent } from './event-feed.ts';
import { FollowedRun } from './followed-run.ts';

/** Runs that go on elsewhere, each read from the store by one follower while somebody listens. */
export class FollowedRuns {
  readonly #store: Store;
  readonly #followed = new Map<string, { readonly run: FollowedRun; listeners: number }>();

  constructor(store: Store) {
    this.#store = store;
  }

  async *read(runId: string, lastId: string | undefined, signal: AbortSignal): AsyncGenerator<FeedEvent, void> {
    const known = this.#followed.get(runId);
    const followed = known ?? { run: new FollowedRun(this.#store, runId), listeners: 0 };
    this.#followed.set(runId, followed);
    followed.listeners += 1;
    try {
      yield* followed.run.feed.read(lastId, signal);
    } finally {
      followed.listeners -= 1;
      if (followed.listeners === 0) {
        followed.run[Symbol.dispose]();
        if (this.#followed.get(runId) === followed) this.#followed.delete(runId);
      }
    }
  }
}
