import type { ColumnType, Generated } from 'kysely';
import type { FileTables } from './file-tables.ts';
import type { WorkTables } from './work-tables.ts';

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
 * How many trials of a cell ended in one way, kept beside the rows so that nobody has to read a run to count it. Sums
 * are whole numbers: they are the same in whatever order trials were stored. Writers have shards of their own where
 * there are many of them, so that none waits for another.
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
  trials: number;
  first_ordinal: number;
  last_ordinal: number;
  duration_ns: number;
  cost_pico_usd: number;
  input_tokens: number;
  output_tokens: number;
  /** Trials whose duration nobody measured. */
  without_duration: number;
  /** Trials whose cost nobody reported. */
  without_cost: number;
  /** Trials that reported tokens. */
  with_usage: number;
  /** Trials that were taken over from earlier runs. */
  reused: number;
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

/** The tables as the newest migration leaves them. */
export interface Tables extends FileTables, WorkTables {
  runs: RunsTable;
  trials: TrialsTable;
  packs: PacksTable;
  trial_counts: TrialCountsTable;
  run_processes: RunProcessesTable;
  trial_attempts: TrialsTable & { attempt: number };
}
