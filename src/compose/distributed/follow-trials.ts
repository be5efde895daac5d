import type { TrialRecord } from '../../domain/record.ts';
import type { Store } from '../../keep/store/store.ts';

const pageSize = 200;

/** Tells of the trials of a run that others store, each once, however often it is asked. */
export class FollowedTrials {
  readonly #store: Store;
  readonly #runId: string;
  readonly #isSeen: Uint8Array;
  #seen = 0;
  /** Everything before it is seen. */
  #firstUnseen = 0;

  constructor(store: Store, runId: string, planned: number) {
    this.#store = store;
    this.#runId = runId;
    this.#isSeen = new Uint8Array(planned);
  }

  /**
   * What was stored since the last time, in the order of the plan; the last time nothing is left out. Reading a record
   * costs more than all else, so that those that are seen are skipped, and nothing is read beyond the last new one.
   */
  async *news(isLast = false): AsyncGenerator<TrialRecord, void> {
    const { pass, fail, error } = await this.#store.countTrials(this.#runId);
    const stored = pass + fail + error;
    this.#firstUnseen = this.#unseenFrom(this.#firstUnseen);
    let next = this.#firstUnseen;
    while (next < this.#isSeen.length && (isLast || this.#seen < stored)) {
      const page = await this.#store.readTrials(this.#runId, { limit: pageSize, after: next - 1 });
      for (const record of page) if (this.#see(record.ordinal)) yield record;
      const last = page.at(-1)?.ordinal;
      if (last === undefined || page.length < pageSize) return;
      next = this.#unseenFrom(last + 1);
    }
  }

  #unseenFrom(ordinal: number): number {
    const unseen = this.#isSeen.indexOf(0, ordinal);
    return unseen === -1 ? this.#isSeen.length : unseen;
  }

  #see(ordinal: number): boolean {
    if (this.#isSeen[ordinal] !== 0) return false;
    this.#isSeen[ordinal] = 1;
    this.#seen++;
    return true;
  }
}
