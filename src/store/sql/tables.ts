import type { ColumnType, Generated } from 'kysely';
import type { FileTables } from './file-tables.ts';

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
  duration_ms: number;
  cost_usd: number;
  input_tokens: number | null;
  output_tokens: number | null;
  findings_pack: number;
  trace_pack: number;
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

/** The tables as the newest migration leaves them. */
export interface Tables extends FileTables {
  runs: RunsTable;
  trials: TrialsTable;
  packs: PacksTable;
}
