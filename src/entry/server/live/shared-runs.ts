import type { WorkDatabase } from '../../../keep/distribution/work-database.ts';
import type { WorkRun } from '../../../keep/distribution/work-runs.ts';
import { isPostgresUrl } from '../../../keep/store/open-store.ts';

/** Runs whose trials are shared out to workers, where the store is one that workers share. */
export class SharedRuns implements AsyncDisposable {
  readonly #storeUrl: string;
  #opened: Promise<WorkDatabase> | undefined;

  constructor(storeUrl: string) {
    this.#storeUrl = storeUrl;
  }

  /** Undefined for runs that are not shared out. */
  async find(runId: string): Promise<WorkRun | undefined> {
    if (!isPostgresUrl(this.#storeUrl)) return undefined;
    const { findWorkRun } = await import('../../../keep/distribution/work-runs.ts');
    return findWorkRun((await this.open()).db, runId);
  }

  /** Ends a run on all machines; false where it was over, or is not shared out. */
  async cancel(runId: string): Promise<boolean> {
    if (!isPostgresUrl(this.#storeUrl)) return false;
    const { cancelWorkRun } = await import('../../../keep/distribution/work-runs.ts');
    return cancelWorkRun(await this.open(), runId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  /** A database that is away now may be there again the next time. */
  async open(): Promise<WorkDatabase> {
    const { openWorkDatabase } = await import('../../../keep/distribution/work-database.ts');
    this.#opened ??= openWorkDatabase(this.#storeUrl);
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}
