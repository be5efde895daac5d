import { endedKey } from '../../../domain/ended-key.ts';
import { isEdited, type RunHeader } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';
import { BoundedCache } from '../bounded-cache.ts';

const mostRuns = 20;

/** Something that is read from each of the newest runs; of those that have ended, which do not change, only once. */
export class NewestRuns<Found> {
  readonly #store: Store;
  readonly #read: (run: RunHeader) => Promise<Found>;
  readonly #known = new BoundedCache<Found>(2 * mostRuns);

  constructor(store: Store, read: (run: RunHeader) => Promise<Found>) {
    this.#store = store;
    this.#read = read;
  }

  /** The newest run first; runs of edited cases say nothing and are left out. */
  async *each(): AsyncGenerator<Found, void> {
    for (const run of await this.#store.listRuns(mostRuns)) if (!isEdited(run)) yield this.of(run);
  }

  of(run: RunHeader): Promise<Found> {
    const key = endedKey(run);
    return key === undefined ? this.#read(run) : this.#known.get(key, () => this.#read(run));
  }
}
