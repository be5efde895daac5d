import type { ColumnType, Generated, Kysely } from 'kysely';
import type { Store } from '../store.ts';

/** Numbers that Postgres may hand over as text when they are wide. */
type Wide = ColumnType<number | string, number, number>;

interface RunsTable {
  run_id: string;
  started_at: Wide;
  finished_at: ColumnType<number | string | null, number | null, number | null>;
  status: string;
  planned: number;
  assay_version: string;
  request: string;
  scenarios: string;
  /** Null where there were none. */
  waits: string | null;
  /** Null where there were none. */
  hook_problems: string | null;
  /** Null where the run is none. */
  experiment: string | null;
  /** Null where there were none. */
  early_looks: string | null;
  /** Null where the run never had any. */
  labels: string | null;
  /** Null where the project is not in a repository. */
  source: string | null;
  /** Of pauses that have ended. */
  paused_ms: ColumnType<number | string, number | undefined, number>;
  /** Of all other columns. */
  checksum: Wide;
}

/** Settings of live runs that were changed from outside. */
interface RunControlsTable {
  run_id: string;
  /** Null where the run is not paused. */
  paused_at: ColumnType<number | string | null, number | null, number | null>;
  concurrency: number | null;
  max_usd: number | null;
  requeues: Generated<number>;
}

interface TrialsTable {
  trial_id: string;
  run_id: string;
  ordinal: number;
  scenario: string;
  file: string;
  case_id: string;
  variant: string;
  repeat: number;
  outcome: string;
  reason: string;
  fault_code: string | null;
  /** Separated by spaces; null where it has none. */
  marks: string | null;
  started_at: Wide;
  duration_ms: number | null;
  cost_usd: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  findings_pack: Wide;
  trace_pack: Wide;
  slot: number;
  checksum: Wide;
}

/** Many small documents of one commit compressed together: a trial names its pack and its line in it. */
interface PacksTable {
  pack_id: Generated<number>;
  run_id: string;
  body: Uint8Array;
  checksum: Wide;
}

/**
 * How many trials of a cell ended in one way, kept beside the rows, so counting a run need not read it. Sums
 * are whole numbers: they are the same in whatever order trials were stored. Writers have their own shards where
 * there are many of them, so none waits for another.
 */
interface TrialCountsTable {
  run_id: string;
  shard: number;
  file: string;
  scenario: string;
  variant: string;
  outcome: string;
  /** Empty where there was no fault. */
  fault_code: string;
  /** Separated by spaces; empty where the trials have none. */
  marks: string;
  trials: number;
  first_ordinal: number;
  last_ordinal: number;
  duration_ns: number;
  cost_pico_usd: number;
  input_tokens: number;
  output_tokens: number;
  /** Trials without a measured duration. */
  without_duration: number;
  /** Trials without a reported cost. */
  without_cost: number;
  /** Trials that used a model and did not report all of their tokens. */
  without_usage: number;
  /** Judged trials whose agent was ended by its time limit. */
  timed_out: number;
}

/** The process that runs a run: it extends its lease while it goes on. */
interface RunProcessesTable {
  run_id: string;
  claim_id: string;
  host: string;
  machine: string;
  pid: number;
  process_start: string | null;
  claimed_at: Wide;
  expires_at: Wide;
}

/** Definitions of the tools of a server that trials of a run may meet: the first, and those that the server announced. */
interface RunPinsTable {
  run_id: string;
  /** Hash of scenario, server, agent and attack: of trials that meet the same definitions. */
  server: string;
  version: string;
  /** Hashes by the names of the tools. */
  pins: string;
  checksum: Wide;
}

/** The tables as the newest migration leaves them. */
export interface Tables extends FileTables, WorkTables {
  runs: RunsTable;
  trials: TrialsTable;
  packs: PacksTable;
  trial_counts: TrialCountsTable;
  run_processes: RunProcessesTable;
  run_controls: RunControlsTable;
  run_pins: RunPinsTable;
  trial_attempts: TrialsTable & { attempt: number };
}

/** Pieces of files, compressed, by the SHA-256 of what is in them. */
interface ChunksTable {
  chunk_id: string;
  body: Uint8Array;
  used_at: Wide;
}

/** Files that belong together, by the SHA-256 of their list; written after the chunks that it names. */
interface FileSetsTable {
  set_id: string;
  manifest: Uint8Array;
  used_at: Wide;
}

interface FileSetChunksTable {
  set_id: string;
  chunk_id: string;
}

/** Whose files a set is: of a trial, or of the run itself where `trial_id` is empty. */
interface RunFilesTable {
  run_id: string;
  trial_id: string;
  set_id: string;
}

/** The tables of files that travel between machines. */
interface FileTables {
  chunks: ChunksTable;
  file_sets: FileSetsTable;
  file_set_chunks: FileSetChunksTable;
  run_files: RunFilesTable;
}

/** Numbers that Postgres may hand over as text when they are wide. */
type WideOrNull = ColumnType<number | string | null, number | null, number | null>;

/** A run whose trials wait in queues; all times are those of the database's clock. */
interface WorkRunsTable {
  run_id: string;
  bundle_id: string;
  priority: number;
  /** 1 when every trial that is not stored waits in a queue. */
  is_enqueued: number;
  cancelled_at: WideOrNull;
  ended_at: WideOrNull;
}

/** Trials of a run that ask the same of a worker; named like their queue. */
interface WorkGroupsTable {
  group_id: string;
  run_id: string;
  needs: string;
  limits: string;
}

/** A worker, as it last reported. */
interface WorkersTable {
  worker_id: string;
  facts: string;
  state: string;
  running: string;
  notes: string;
  started_at: Wide;
  seen_at: Wide;
  lease_ms: number;
}

/** One use of something that only so many trials may use at a time. */
interface LimitLeasesTable {
  limit_name: string;
  holder: string;
  expires_at: Wide;
}

/** When something that one machine does for all was last begun. */
interface WorkTurnsTable {
  name: string;
  taken_at: Wide;
}

/** The tables of work that is shared out between machines. */
interface WorkTables {
  work_runs: WorkRunsTable;
  work_groups: WorkGroupsTable;
  workers: WorkersTable;
  limit_leases: LimitLeasesTable;
  work_turns: WorkTurnsTable;
}

/** A store, and the database that it is in; closing the store closes both. */
export interface SqlDatabase {
  readonly store: Store;
  readonly db: Kysely<Tables>;
  /** Damage that the engine itself finds. */
  problems(): Promise<string[]>;
}
