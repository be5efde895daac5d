import type { TrialRecord } from '../../domain/record.ts';
import type { Store } from '../../keep/store/store.ts';

const pageSize = 200;

/** Reads the trials of a run while others store them, each once. */
export class FollowedTrials {
  readonly #store: Store;
  readonly #runId: string;
  readonly #isRead: Uint8Array;
  #readCount = 0;
  /** Everything before it has been read. */
  #firstUnread = 0;

  constructor(store: Store, runId: string, planned: number) {
    this.#store = store;
    this.#runId = runId;
    this.#isRead = new Uint8Array(planned);
  }

  /**
   * Trials stored since the last call, in the order of the plan; the last call leaves nothing out. Reading a record is
   * the expensive part, so trials that were read are skipped, and nothing is read beyond the last new one.
   */
  async *news(isLast = false): AsyncGenerator<TrialRecord, void> {
    const { pass, fail, error } = await this.#store.countTrials(this.#runId);
    const stored = pass + fail + error;
    this.#firstUnread = this.#unreadFrom(this.#firstUnread);
    let next = this.#firstUnread;
    while (next < this.#isRead.length && (isLast || this.#readCount < stored)) {
      const page = await this.#store.readTrials(this.#runId, { limit: pageSize, after: next - 1 });
      for (const record of page) if (this.#markRead(record.ordinal)) yield record;
      const last = page.at(-1)?.ordinal;
      if (last === undefined || page.length < pageSize) return;
      next = this.#unreadFrom(last + 1);
    }
  }

  #unreadFrom(ordinal: number): number {
    const unread = this.#isRead.indexOf(0, ordinal);
    return unread === -1 ? this.#isRead.length : unread;
  }

  #markRead(ordinal: number): boolean {
    if (this.#isRead[ordinal] !== 0) return false;
    this.#isRead[ordinal] = 1;
    this.#readCount++;
    return true;
  }
}
