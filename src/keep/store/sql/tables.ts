import type { Kysely } from 'kysely';
import type { Store } from '../store.ts';
import {
  bytes,
  generatedId,
  id,
  integer,
  integerFromZero,
  integerOrNull,
  real,
  realOrNull,
  type Table,
  text,
  textOrNull,
  type ValuesOf,
  wide,
  wideFromZero,
  wideOrNull,
} from './columns.ts';

const trialColumns = {
  run_id: id,
  ordinal: integer,
  scenario: text,
  file: text,
  case_id: text,
  variant: text,
  repeat: integer,
  outcome: text,
  reason: text,
  fault_code: textOrNull,
  /** Separated by spaces; null where it has none. */
  marks: textOrNull,
  started_at: wide,
  duration_ms: realOrNull,
  cost_usd: realOrNull,
  input_tokens: realOrNull,
  output_tokens: realOrNull,
  findings_pack: wide,
  trace_pack: wide,
  slot: integer,
  /** Of all columns before it. */
  checksum: wide,
};

/** Runs, their trials, and their documents. */
const runTables = {
  runs: {
    columns: {
      run_id: id,
      started_at: wide,
      finished_at: wideOrNull,
      status: text,
      planned: integer,
      assay_version: text,
      request: text,
      scenarios: text,
      /** Null where there were none. */
      waits: textOrNull,
      /** Of pauses that have ended. */
      paused_ms: wideFromZero,
      /** Null where there were none. */
      hook_problems: textOrNull,
      /** Null where the run is none. */
      experiment: textOrNull,
      /** Null where there were none. */
      early_looks: textOrNull,
      /** Null where nothing stopped it. */
      stops: textOrNull,
      /** Null where the run was never resumed. */
      spending: textOrNull,
      /** Null where the run never had any. */
      labels: textOrNull,
      /** Null where the project is not in a repository. */
      source: textOrNull,
      /** Of all other columns. */
      checksum: wide,
    },
    key: ['run_id'],
    indexes: { runs_by_start: '(started_at, run_id)' },
  },
  /** The process that runs a run: it extends its lease while it goes on. */
  run_processes: {
    columns: {
      run_id: id,
      claim_id: text,
      host: text,
      machine: text,
      pid: integer,
      process_start: textOrNull,
      claimed_at: wide,
      expires_at: wide,
    },
    key: ['run_id'],
  },
  /** Settings of live runs that were changed from outside; `paused_at` is null where the run is not paused. */
  run_controls: {
    columns: {
      run_id: id,
      paused_at: wideOrNull,
      concurrency: integerOrNull,
      max_usd: realOrNull,
      requeues: integerFromZero,
    },
    key: ['run_id'],
  },
  /** Definitions of the tools of a server that trials of a run may meet: the first, and those that the server announced. */
  run_pins: {
    columns: {
      run_id: id,
      /** Hash of scenario, server, agent and attack: of trials that meet the same definitions. */
      server: id,
      version: id,
      /** Hashes by the names of the tools. */
      pins: text,
      checksum: wide,
    },
    key: ['run_id', 'server', 'version'],
  },
  trials: {
    columns: { trial_id: id, ...trialColumns },
    key: ['trial_id'],
    indexes: {
      trials_by_plan: '(run_id, ordinal)',
      // Most trials pass, and need not be found by their outcome.
      trials_by_outcome: "(run_id, outcome, ordinal) where outcome <> 'pass'",
    },
  },
  trial_attempts: {
    columns: { trial_id: id, attempt: integer, ...trialColumns },
    key: ['trial_id', 'attempt'],
    indexes: { trial_attempts_by_run: '(run_id)' },
  },
  /** Many small documents of one commit compressed together: a trial names its pack and its line in it. */
  packs: {
    columns: { pack_id: generatedId, run_id: id, body: bytes, checksum: wide },
    indexes: { packs_by_run: '(run_id)' },
  },
  /**
   * Results of reading all trials of a run that has ended, so it is read for them once: figures, groups of failures, and
   * the columns that cases are sorted and searched by. They can be made again at any time.
   */
  run_summaries: {
    columns: { run_id: id, name: id, stamp: text, body: bytes, checksum: wide },
    key: ['run_id', 'name'],
  },
  /**
   * How many trials of a cell ended in one way, kept beside the rows, so counting a run need not read it. Sums
   * are whole numbers: they are the same in whatever order trials were stored. Writers have their own shards where
   * there are many of them, so none waits for another.
   */
  trial_counts: {
    columns: {
      run_id: id,
      shard: integer,
      file: text,
      scenario: text,
      variant: text,
      outcome: text,
      /** Empty where there was no fault. */
      fault_code: text,
      /** Separated by spaces; empty where the trials have none. */
      marks: text,
      trials: integer,
      first_ordinal: integer,
      last_ordinal: integer,
      duration_ns: real,
      cost_pico_usd: real,
      input_tokens: real,
      output_tokens: real,
      /** Trials without a measured duration. */
      without_duration: integer,
      /** Trials without a reported cost. */
      without_cost: integer,
      /** Trials that used a model and did not report all of their tokens. */
      without_usage: integer,
      /** Judged trials whose agent was ended by its time limit. */
      timed_out: integer,
    },
    key: ['run_id', 'shard', 'file', 'scenario', 'variant', 'outcome', 'fault_code', 'marks'],
  },
} as const satisfies Readonly<Record<string, Table>>;

/** Files that travel between machines. */
const fileTables = {
  /** Pieces of files, compressed, by the SHA-256 of what is in them. */
  chunks: { columns: { chunk_id: text, body: bytes, used_at: wide }, key: ['chunk_id'] },
  /** Files that belong together, by the SHA-256 of their list; written after the chunks that it names. */
  file_sets: { columns: { set_id: text, manifest: bytes, used_at: wide }, key: ['set_id'] },
  file_set_chunks: {
    columns: { set_id: text, chunk_id: text },
    key: ['set_id', 'chunk_id'],
    indexes: { file_set_chunks_by_chunk: '(chunk_id)' },
  },
  /** Whose files a set is: of a trial, or of the run itself where `trial_id` is empty. */
  run_files: {
    columns: { run_id: text, trial_id: text, set_id: text },
    key: ['run_id', 'trial_id'],
    indexes: { run_files_by_trial: '(trial_id)', run_files_by_set: '(set_id)' },
  },
} as const satisfies Readonly<Record<string, Table>>;

/** Work that is shared out between machines; all times are those of the database's clock. */
const workTables = {
  /** A run whose trials wait in queues; `is_enqueued` is 1 when every trial that is not stored waits in a queue. */
  work_runs: {
    columns: {
      run_id: id,
      bundle_id: text,
      priority: integer,
      is_enqueued: integer,
      cancelled_at: wideOrNull,
      ended_at: wideOrNull,
    },
    key: ['run_id'],
  },
  /** Trials of a run that ask the same of a worker; named like their queue. */
  work_groups: {
    columns: { group_id: id, run_id: id, needs: text, limits: text },
    key: ['group_id'],
    indexes: { work_groups_by_run: '(run_id)' },
  },
  /** A worker, as it last reported. */
  workers: {
    columns: {
      worker_id: id,
      facts: text,
      state: text,
      running: text,
      notes: text,
      started_at: wide,
      seen_at: wide,
      lease_ms: integer,
    },
    key: ['worker_id'],
  },
  /** One use of something that only so many trials may use at a time. */
  limit_leases: {
    columns: { limit_name: id, holder: id, expires_at: wide },
    key: ['limit_name', 'holder'],
    indexes: { limit_leases_by_holder: '(holder)' },
  },
  /** When something that one machine does for all was last begun. */
  work_turns: { columns: { name: text, taken_at: wide }, key: ['name'] },
} as const satisfies Readonly<Record<string, Table>>;

/** All tables: the schema of a new store, the types of its rows, and what is inserted are made from them. */
export const tables = { ...runTables, ...fileTables, ...workTables };

/** The rows of all tables for Kysely. */
export type Tables = { [Name in keyof typeof tables]: ValuesOf<(typeof tables)[Name]> };

/** A store, and the database that it is in; closing the store closes both. */
export interface SqlDatabase {
  readonly store: Store;
  readonly db: Kysely<Tables>;
  /** Damage that the engine itself finds. */
  problems(): Promise<string[]>;
}
