import type { ColumnType } from 'kysely';

/** Numbers that Postgres may hand over as text when they are wide. */
type Wide = ColumnType<number | string, number, number>;
type WideOrNull = ColumnType<number | string | null, number | null, number | null>;

/** A run whose trials wait in queues; all times are those of the database's clock. */
interface WorkRunsTable {
  run_id: string;
  bundle_id: string;
  settings: string;
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

/** Whoever takes trials, as it last said of itself. */
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
export interface WorkTables {
  work_runs: WorkRunsTable;
  work_groups: WorkGroupsTable;
  workers: WorkersTable;
  limit_leases: LimitLeasesTable;
  work_turns: WorkTurnsTable;
}
