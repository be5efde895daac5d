import type { Kysely, Selectable } from 'kysely';
import type { FinishedTrial } from '../store.ts';
import { PackReader } from './pack-reader.ts';
import type { Tables } from './tables.ts';
import { recordOf } from './trial-row.ts';

const pageSize = 200;
/** Trials that finished together lie together; those that are planned together are not far apart. */
const openPacks = 32;

/** A trial whose documents are read when asked for; reading refuses what is not as it was written. */
export interface StoredTrial {
  readonly trialId: string;
  readonly ordinal: number;
  read(): Promise<FinishedTrial>;
}

/** Reads whole trials, many after another. */
export class StoredTrials {
  readonly #db: Kysely<Tables>;
  readonly #packs: PackReader;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
    this.#packs = new PackReader(db, openPacks);
  }

  /** The trials of a run in plan order, in pages. */
  async *pages(runId: string): AsyncGenerator<StoredTrial[], void> {
    for (let after = -1; ; ) {
      const rows = await this.#db
        .selectFrom('trials')
        .selectAll()
        .where('run_id', '=', runId)
        .where('ordinal', '>', after)
        .orderBy('ordinal')
        .limit(pageSize)
        .execute();
      if (rows.length > 0) yield rows.map((row) => this.#stored(row));
      if (rows.length < pageSize) return;
      after = rows.at(-1)?.ordinal ?? after;
    }
  }

  /** Those of the trials that are stored, by their ids. */
  async byId(trialIds: readonly string[]): Promise<ReadonlyMap<string, StoredTrial>> {
    if (trialIds.length === 0) return new Map();
    const rows = await this.#db.selectFrom('trials').selectAll().where('trial_id', 'in', trialIds).execute();
    return new Map(rows.map((row) => [row.trial_id, this.#stored(row)]));
  }

  #stored(row: Selectable<Tables['trials']>): StoredTrial {
    return {
      trialId: row.trial_id,
      ordinal: row.ordinal,
      read: async () => ({
        record: recordOf(row, await this.#packs.line(Number(row.findings_pack), row.slot)),
        trace: JSON.parse(await this.#packs.line(Number(row.trace_pack), row.slot)),
      }),
    };
  }
}
