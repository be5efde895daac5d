import type { Migration, SqlDialectWords } from './migration.ts';

/** All tables of the first release; `tables.ts` says what is in their columns. */
export const initial: Migration = {
  id: 1,
  name: 'initial',
  statements: (words) => [...runTables(words), ...trialTables(words), ...fileTables(words), ...workTables(words)],
};

function runTables({ id }: SqlDialectWords): string[] {
  return [
    `create table runs (run_id ${id} primary key, started_at bigint not null, finished_at bigint, status text not null,
      planned integer not null, assay_version text not null, request text not null, scenarios text not null, waits text,
      paused_ms bigint default 0 not null, hook_problems text, experiment text, early_looks text, labels text, source text,
      checksum bigint not null)`,
    'create index runs_by_start on runs (started_at, run_id)',
    `create table run_processes (run_id ${id} primary key, claim_id text not null, host text not null,
      machine text not null, pid integer not null, process_start text, claimed_at bigint not null,
      expires_at bigint not null)`,
    `create table run_controls (run_id ${id} primary key, paused_at bigint, concurrency integer, max_usd double precision,
      requeues integer default 0 not null)`,
    `create table run_pins (run_id ${id} not null, server ${id} not null, version ${id} not null, pins text not null,
      checksum bigint not null, constraint run_pins_key primary key (run_id, server, version))`,
  ];
}

function trialTables({ id, generatedId, bytes }: SqlDialectWords): string[] {
  const trial = `run_id ${id} not null, ordinal integer not null, scenario text not null, file text not null,
    case_id text not null, variant text not null, repeat integer not null, outcome text not null, reason text not null,
    fault_code text, marks text, started_at bigint not null, duration_ms double precision, cost_usd double precision,
    input_tokens double precision, output_tokens double precision, findings_pack bigint not null,
    trace_pack bigint not null, slot integer not null, checksum bigint not null`;
  return [
    `create table trials (trial_id ${id} primary key, ${trial})`,
    'create index trials_by_plan on trials (run_id, ordinal)',
    // Most trials pass, and need not be found by their outcome.
    `create index trials_by_outcome on trials (run_id, outcome, ordinal) where outcome <> 'pass'`,
    `create table trial_attempts (trial_id ${id} not null, attempt integer not null, ${trial},
      constraint trial_attempts_key primary key (trial_id, attempt))`,
    'create index trial_attempts_by_run on trial_attempts (run_id)',
    `create table packs (pack_id ${generatedId}, run_id ${id} not null, body ${bytes} not null, checksum bigint not null)`,
    'create index packs_by_run on packs (run_id)',
    `create table trial_counts (run_id ${id} not null, shard integer not null, file text not null, scenario text not null,
      variant text not null, outcome text not null, fault_code text not null, marks text not null, trials integer not null,
      first_ordinal integer not null, last_ordinal integer not null, duration_ns double precision not null,
      cost_pico_usd double precision not null, input_tokens double precision not null,
      output_tokens double precision not null, without_duration integer default 0 not null,
      without_cost integer default 0 not null, without_usage integer default 0 not null, timed_out integer default 0 not null,
      constraint trial_counts_key primary key (run_id, shard, file, scenario, variant, outcome, fault_code, marks))`,
  ];
}

function fileTables({ bytes }: SqlDialectWords): string[] {
  return [
    `create table chunks (chunk_id text primary key, body ${bytes} not null, used_at bigint not null)`,
    `create table file_sets (set_id text primary key, manifest ${bytes} not null, used_at bigint not null)`,
    `create table file_set_chunks (set_id text not null, chunk_id text not null,
      constraint file_set_chunks_key primary key (set_id, chunk_id))`,
    'create index file_set_chunks_by_chunk on file_set_chunks (chunk_id)',
    `create table run_files (run_id text not null, trial_id text not null, set_id text not null,
      constraint run_files_key primary key (run_id, trial_id))`,
    'create index run_files_by_trial on run_files (trial_id)',
    'create index run_files_by_set on run_files (set_id)',
  ];
}

function workTables({ id }: SqlDialectWords): string[] {
  return [
    `create table work_runs (run_id ${id} primary key, bundle_id text not null,
      priority integer not null, is_enqueued integer not null, cancelled_at bigint, ended_at bigint)`,
    `create table work_groups (group_id ${id} primary key, run_id ${id} not null, needs text not null,
      limits text not null)`,
    'create index work_groups_by_run on work_groups (run_id)',
    `create table workers (worker_id ${id} primary key, facts text not null, state text not null, running text not null,
      notes text not null, started_at bigint not null, seen_at bigint not null, lease_ms integer not null)`,
    `create table limit_leases (limit_name ${id} not null, holder ${id} not null, expires_at bigint not null,
      constraint limit_leases_key primary key (limit_name, holder))`,
    'create index limit_leases_by_holder on limit_leases (holder)',
    'create table work_turns (name text primary key, taken_at bigint not null)',
  ];
}
