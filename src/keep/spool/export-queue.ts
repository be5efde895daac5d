import { join } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { AssayError } from '../../domain/errors.ts';
import { makeOwnFolder } from '../store/open-store.ts';
import { openDatabase } from '../store/sql/open-database.ts';

/** A run that is to be sent to a destination. */
export interface WaitingRun {
  readonly runId: string;
  readonly queuedAt: number;
}

/** The parts of a trial that a destination has. */
export interface DeliveredParts {
  readonly logs: boolean;
  readonly traces: boolean;
}

/** A part of a trial that is sent separately. */
export type ExportPart = keyof DeliveredParts;

const tables = `
  create table if not exists runs (
    destination text not null,
    run_id text not null,
    queued_at integer not null,
    is_waiting integer not null,
    primary key (destination, run_id)
  ) without rowid;
  create table if not exists delivered (
    destination text not null,
    run_id text not null,
    trial text not null,
    part text not null,
    primary key (destination, run_id, trial, part)
  ) without rowid;
`;

const mostRuns = 1_000;

/**
 * Runs that wait to be sent, and what was taken of them, in one file per project. The trials themselves stay in the
 * store, so nothing of a run is lost with a process, and the queue stays small.
 */
export class ExportQueue implements Disposable {
  readonly #db: DatabaseSyncInstance;
  readonly #folder: string;
  readonly #destination: string;

  /** `destination` identifies where runs are sent to, without its secrets. */
  constructor(projectFolder: string, destination: string) {
    this.#folder = join(projectFolder, '.assay');
    this.#destination = destination;
    try {
      makeOwnFolder(this.#folder);
      this.#db = openDatabase(join(this.#folder, 'export.db'), 10_000);
      this.#db.exec('pragma journal_mode = wal; pragma synchronous = full;');
      this.#db.exec(tables);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new AssayError('STORE_UNAVAILABLE', `The export queue .assay/export.db cannot be used: ${reason}`, {
        cause: error,
      });
    }
  }

  /** Adds a run, or lets it wait again; returns the runs that no longer wait because there are too many. */
  add(runId: string, now: number): string[] {
    this.#db
      .prepare(
        `insert into runs values (?, ?, ?, 1)
         on conflict (destination, run_id) do update set is_waiting = 1, queued_at = excluded.queued_at`,
      )
      .run(this.#destination, runId, now);
    return this.#trim();
  }

  /** The oldest first. */
  waiting(): WaitingRun[] {
    const rows = this.#db
      .prepare('select run_id, queued_at from runs where destination = ? and is_waiting = 1 order by queued_at, run_id')
      .all(this.#destination) as { run_id: string; queued_at: number }[];
    return rows.map((row) => ({ runId: row.run_id, queuedAt: Number(row.queued_at) }));
  }

  /** Nothing of the run is left to send. */
  finish(runId: string): void {
    this.#db
      .prepare('update runs set is_waiting = 0 where destination = ? and run_id = ?')
      .run(this.#destination, runId);
  }

  deliveredOf(runId: string, trial: string): DeliveredParts {
    const rows = this.#db
      .prepare('select part from delivered where destination = ? and run_id = ? and trial = ?')
      .all(this.#destination, runId, trial) as { part: string }[];
    const has = (part: ExportPart) => rows.some((row) => row.part === part);
    return { logs: has('logs'), traces: has('traces') };
  }

  /** Durable when it returns. */
  markDelivered(runId: string, trials: readonly string[], part: ExportPart): void {
    const insert = this.#db.prepare('insert or ignore into delivered values (?, ?, ?, ?)');
    this.#db.exec('begin immediate');
    try {
      for (const trial of trials) insert.run(this.#destination, runId, trial, part);
      this.#db.exec('commit');
    } catch (error) {
      this.#db.exec('rollback');
      throw error;
    }
  }

  /** Everything of the run is sent again. */
  forget(runId: string): void {
    this.#db.prepare('delete from delivered where destination = ? and run_id = ?').run(this.#destination, runId);
  }

  /** Undefined while another process sends to the same destination; the system lets go of it with the process. */
  claim(): Disposable | undefined {
    const lock = openDatabase(join(this.#folder, `export-${this.#destination.slice(0, 16)}.lock`), 0);
    try {
      lock.exec('begin exclusive');
    } catch {
      lock.close();
      return undefined;
    }
    return { [Symbol.dispose]: () => lock.close() };
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #trim(): string[] {
    const rows = this.#db
      .prepare('select run_id, is_waiting from runs where destination = ? order by is_waiting, queued_at, run_id')
      .all(this.#destination) as { run_id: string; is_waiting: number }[];
    const surplus = rows.slice(0, Math.max(0, rows.length - mostRuns));
    for (const { run_id } of surplus) {
      this.forget(run_id);
      this.#db.prepare('delete from runs where destination = ? and run_id = ?').run(this.#destination, run_id);
    }
    return surplus.filter((row) => row.is_waiting === 1).map((row) => row.run_id);
  }
}
