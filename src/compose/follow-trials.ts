import type { TrialRecord } from '../domain/record.ts';
import type { Store } from '../store/store.ts';

const blockSize = 500;

/** Tells of the trials of a run that others store, each once, however often it is asked. */
export class FollowedTrials {
  readonly #store: Store;
  readonly #runId: string;
  readonly #seen: Uint8Array;
  readonly #left: number[];
  #stored = 0;

  constructor(store: Store, runId: string, planned: number) {
    this.#store = store;
    this.#runId = runId;
    this.#seen = new Uint8Array(planned);
    const blocks = Math.ceil(planned / blockSize);
    this.#left = Array.from({ length: blocks }, (_, block) => Math.min(blockSize, planned - block * blockSize));
  }

  /** What was stored since the last time, in the order of the plan; the last time nothing is left out. */
  async *news(isLast = false): AsyncGenerator<TrialRecord, void> {
    const { pass, fail, error } = await this.#store.countTrials(this.#runId);
    const stored = pass + fail + error;
    if (stored === this.#stored && !isLast) return;
    this.#stored = stored;
    let after = -1;
    while (after < this.#seen.length - 1) {
      after = this.#firstOpen(after + 1) - 1;
      const page = await this.#store.readTrials(this.#runId, { limit: blockSize, after });
      for (const record of page) if (this.#see(record.ordinal)) yield record;
      const last = page.at(-1)?.ordinal;
      if (last === undefined || page.length < blockSize) return;
      after = last;
    }
  }

  /** The first place in or after a block of which not all is known. */
  #firstOpen(ordinal: number): number {
    let block = Math.floor(ordinal / blockSize);
    if ((this.#left[block] ?? 1) > 0) return ordinal;
    while (this.#left[block] === 0) block++;
    return block * blockSize;
  }

  #see(ordinal: number): boolean {
    if (this.#seen[ordinal] === 1) return false;
    this.#seen[ordinal] = 1;
    const block = Math.floor(ordinal / blockSize);
    this.#left[block] = (this.#left[block] ?? 1) - 1;
    return true;
  }
}
