/**
 * Schema of a new SQLite database, the result of all migrations. Written by its test:
 * `npx vitest run src/keep/store/sql/newest-schema.test.ts -u`
 */
export const newestSchema = `
CREATE TABLE assay_schema (version integer primary key, name text not null);
CREATE TABLE "runs" ("run_id" text primary key, "started_at" bigint not null, "finished_at" bigint, "status" text not null, "planned" integer not null, "assay_version" text not null, "request" text not null, "scenarios" text not null, "waits" text, "paused_ms" bigint default 0 not null, "hook_problems" text, "experiment" text, "early_looks" text, "labels" text, "source" text, "checksum" bigint);
CREATE TABLE "trials" ("trial_id" text primary key, "run_id" text not null, "ordinal" integer not null, "scenario" text not null, "file" text not null, "case_id" text not null, "variant" text not null, "repeat" integer not null, "outcome" text not null, "reason" text not null, "fault_code" text, "started_at" bigint not null, "duration_ms" double precision, "cost_usd" double precision, "input_tokens" double precision, "output_tokens" double precision, "findings_pack" bigint not null, "trace_pack" bigint not null, "slot" integer not null, "checksum" bigint not null);
CREATE TABLE "packs" ("pack_id" integer primary key autoincrement, "run_id" text not null, "body" blob not null, "checksum" bigint not null);
CREATE INDEX "trials_by_plan" on "trials" ("run_id", "ordinal");
CREATE INDEX "packs_by_run" on "packs" ("run_id");
CREATE TABLE "trial_counts" ("run_id" text not null, "shard" integer not null, "file" text not null, "scenario" text not null, "variant" text not null, "outcome" text not null, "fault_code" text not null, "trials" integer not null, "first_ordinal" integer not null, "last_ordinal" integer not null, "duration_ns" double precision not null, "cost_pico_usd" double precision not null, "input_tokens" double precision not null, "output_tokens" double precision not null, "without_duration" integer default 0 not null, "without_cost" integer default 0 not null, "with_usage" integer default 0 not null, "reused" integer default 0 not null, "timed_out" integer default 0 not null, constraint "trial_counts_key" primary key ("run_id", "shard", "file", "scenario", "variant", "outcome", "fault_code"));
CREATE INDEX "runs_by_start" on "runs" ("started_at", "run_id");
CREATE TABLE "work_runs" ("run_id" text primary key, "bundle_id" text not null, "settings" text not null, "priority" integer not null, "is_enqueued" integer not null, "cancelled_at" bigint, "ended_at" bigint);
CREATE TABLE "work_groups" ("group_id" text primary key, "run_id" text not null, "needs" text not null, "limits" text not null);
CREATE INDEX "work_groups_by_run" on "work_groups" ("run_id");
CREATE TABLE "workers" ("worker_id" text primary key, "facts" text not null, "state" text not null, "running" text not null, "notes" text not null, "started_at" bigint not null, "seen_at" bigint not null, "lease_ms" integer not null);
CREATE TABLE "limit_leases" ("limit_name" text not null, "holder" text not null, "expires_at" bigint not null, constraint "limit_leases_key" primary key ("limit_name", "holder"));
CREATE INDEX "limit_leases_by_holder" on "limit_leases" ("holder");
CREATE TABLE "work_turns" ("name" text primary key, "taken_at" bigint not null);
CREATE TABLE "chunks" ("chunk_id" text primary key, "body" blob not null, "used_at" bigint not null);
CREATE TABLE "file_sets" ("set_id" text primary key, "manifest" blob not null, "used_at" bigint not null);
CREATE TABLE "file_set_chunks" ("set_id" text not null, "chunk_id" text not null, constraint "file_set_chunks_key" primary key ("set_id", "chunk_id"));
CREATE TABLE "run_files" ("run_id" text not null, "trial_id" text not null, "set_id" text not null, constraint "run_files_key" primary key ("run_id", "trial_id"));
CREATE INDEX "file_set_chunks_by_chunk" on "file_set_chunks" ("chunk_id");
CREATE INDEX "run_files_by_trial" on "run_files" ("trial_id");
CREATE INDEX "run_files_by_set" on "run_files" ("set_id");
CREATE TABLE "run_processes" ("run_id" text primary key, "claim_id" text not null, "host" text not null, "machine" text not null, "pid" integer not null, "process_start" text, "claimed_at" bigint not null, "expires_at" bigint not null);
CREATE TABLE "trial_attempts" ("trial_id" text not null, "attempt" integer not null, "run_id" text not null, "ordinal" integer not null, "scenario" text not null, "file" text not null, "case_id" text not null, "variant" text not null, "repeat" integer not null, "outcome" text not null, "reason" text not null, "fault_code" text, "started_at" bigint not null, "duration_ms" double precision, "cost_usd" double precision, "input_tokens" double precision, "output_tokens" double precision, "findings_pack" bigint not null, "trace_pack" bigint not null, "slot" integer not null, "checksum" bigint not null, constraint "trial_attempts_key" primary key ("trial_id", "attempt"));
CREATE INDEX "trial_attempts_by_run" on "trial_attempts" ("run_id");
CREATE TABLE "run_controls" ("run_id" text primary key, "paused_at" bigint, "concurrency" integer, "max_usd" double precision, "requeues" integer default 0 not null);
CREATE TRIGGER runs_without_checksum after update on runs
      when new.checksum is old.checksum and new.checksum is not null
      begin update runs set checksum = null where run_id = new.run_id; end;
CREATE TABLE "run_pins" ("run_id" text not null, "server" text not null, "version" text not null, "pins" text not null, "checksum" bigint not null, constraint "run_pins_key" primary key ("run_id", "server", "version"));
CREATE INDEX trials_by_outcome on trials (run_id, outcome, ordinal) where outcome <> 'pass';
insert into assay_schema (version, name) values (1, 'initial'), (2, 'lists'), (3, 'work'), (4, 'files'), (5, 'nullable-figures'), (6, 'run-processes'), (7, 'run-waits'), (8, 'run-controls'), (9, 'hook-problems'), (10, 'experiments'), (11, 'fewer-indexes'), (12, 'run-labels'), (13, 'run-checksums'), (14, 'run-pins'), (15, 'smaller-indexes'), (16, 'brotli-packs');
`;
