import type { DatabaseSyncInstance } from '@photostructure/sqlite';

interface WaitingChange {
  /** Makes the change, and gives what fulfils its promise once it is durable. */
  make(): () => void;
  reject(error: unknown): void;
}

/** Changes that are requested at about the same time share one transaction, because waiting for the disk costs most. */
export class GroupCommit {
  readonly #db: DatabaseSyncInstance;
  readonly #onFailure: () => void;
  #waiting: WaitingChange[] = [];

  /** `onFailure` forgets what was remembered of a transaction that was undone. */
  constructor(db: DatabaseSyncInstance, onFailure: () => void) {
    this.#db = db;
    this.#onFailure = onFailure;
  }

  /** Fulfilled when the change is durable; where it fails, all that share its transaction fail. */
  run<Result>(change: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      const make = () => {
        const result = change();
        return () => resolve(result);
      };
      this.#waiting.push({ make, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    const changes = this.#waiting;
    this.#waiting = [];
    try {
      this.#db.exec('begin immediate');
      const fulfilments = changes.map(({ make }) => make());
      this.#db.exec('commit');
      for (const fulfil of fulfilments) fulfil();
    } catch (error) {
      this.#undo();
      for (const { reject } of changes) reject(error);
    }
  }

  /** After some errors SQLite has rolled back already. */
  #undo(): void {
    this.#onFailure();
    try {
      if (this.#db.isOpen && this.#db.isTransaction) this.#db.exec('rollback');
    } catch {}
  }
}
