/**
 * Spans wait here until their trace is whole. Traces are numbered in the order of their first spans, so spans that
 * arrive together lie together in the file.
 */
export const spoolTables = `
  create table if not exists facts (name text primary key, value text not null) without rowid;
  create table if not exists origins (origin_no integer primary key, body text not null unique);
  create table if not exists traces (
    trace_no integer primary key,
    trace_id text not null unique,
    state integer not null,
    has_root integer not null default 0,
    first_at integer not null,
    last_at integer not null,
    spans integer not null default 0,
    bytes integer not null default 0,
    refused integer not null default 0,
    place text
  );
  create index if not exists traces_by_state on traces (state, has_root, last_at);
  create table if not exists spans (
    trace_no integer not null,
    span_id text not null,
    origin_no integer not null,
    body text not null,
    primary key (trace_no, span_id)
  ) without rowid;
  create table if not exists counters (name text primary key, value integer not null) without rowid;
  create table if not exists judgements (
    judgement_no integer primary key,
    rule text not null,
    trace_id text not null,
    trial_id text not null,
    place text,
    is_reopened integer not null default 0,
    unique (rule, trace_id)
  );
`;

/** Where a trace stands. */
export const traceState = {
  /** Spans are missing from its trial, or it has none yet. */
  open: 0,
  /** Its trial is in the store; spans are kept for those that come late. */
  stored: 1,
  /** Its spans were removed; their ids are forgotten too, and further ones are refused. */
  closed: 2,
  /** Spans came after it was closed: its trial and its verdicts are to be marked. */
  overtaken: 3,
} as const;
