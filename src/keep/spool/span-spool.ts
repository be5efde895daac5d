import { dirname } from 'node:path';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { AssayError } from '../../domain/errors.ts';
import { makeOwnFolder } from '../store/open-store.ts';
import { openDatabase } from '../store/sql/open-database.ts';
import { GroupCommit } from './group-commit.ts';
import { JudgementQueue, type NewJudgement } from './judgement-queue.ts';
import { spoolTables, traceState } from './spool-tables.ts';

/** A span to be kept. */
export interface SpooledSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly isRoot: boolean;
  /** Of many spans the same text. */
  readonly origin: string;
  readonly body: string;
}

/** How the spans of one request were taken. */
export interface AppendedSpans {
  readonly stored: number;
  /** Of these, spans of traces that had a trial already. */
  readonly late: number;
  readonly duplicates: number;
  /** Their trace is closed, and its trial is made. */
  readonly tooLate: number;
  /** Their trace has as many spans or bytes as a trace may have, or another span with the same id. */
  readonly refused: number;
}

/** A trace whose trial is to be made. */
export interface DueTrace {
  readonly traceNo: number;
  readonly traceId: string;
  readonly spans: number;
  readonly hasRoot: boolean;
  /** Spans that were refused. */
  readonly refused: number;
  /** Of the last span; changes when another one comes. */
  readonly lastAt: number;
  /** Where its trial was put, as `place` wrote it; null where it was put nowhere yet. */
  readonly place: string | null;
}

/** How long traces wait for further spans. */
export interface SpoolWindows {
  /** Traces with a root are due after so long without a span. */
  readonly quietMs: number;
  /** Traces without one. */
  readonly idleMs: number;
  /** Spans of stored traces are kept so long. */
  readonly lateMs: number;
  /** Ids of closed traces are kept so long. */
  readonly closedMs: number;
}

interface TraceRow {
  readonly trace_no: number;
  readonly state: number;
  readonly spans: number;
  readonly bytes: number;
  readonly place: string | null;
}

const mostSpansOfTrace = 10_000;
const mostBytesOfTrace = 16 * 1_048_576;
const forgetUnusedOrigins = 'delete from origins where origin_no not in (select origin_no from spans);';
const mostKnownOrigins = 1_000;

/** Writes to the spool while trials are given their places. */
export interface PlacingSpool {
  setPlace(traceNo: number, place: string): void;
  /** Counts up from 1. */
  next(counter: string): number;
  /** All of them begin at 1 again. */
  forgetCounters(): void;
  setFact(name: string, value: string): void;
}

/**
 * Spans on disk that wait for the rest of their trace. One process has it open at a time. Every change is in the file
 * when its promise is fulfilled; changes that are made at the same time share one commit.
 */
export class SpanSpool implements Disposable {
  readonly #db: DatabaseSyncInstance;
  readonly #commits: GroupCommit;
  readonly #origins = new Map<string, number>();
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly judgements: JudgementQueue;

  private constructor(db: DatabaseSyncInstance) {
    this.#db = db;
    this.#commits = new GroupCommit(db, () => this.#origins.clear());
    this.judgements = new JudgementQueue(this.#commits, (text) => this.#prepared(text));
  }

  static open(path: string): SpanSpool {
    makeOwnFolder(dirname(path));
    const db = openDatabase(path, 1_000);
    try {
      // The lock of the file is the lock of the spool, and ends with the process.
      db.exec('pragma locking_mode = exclusive');
      db.exec('pragma journal_mode = WAL');
      // An acknowledged span survives a power cut.
      db.exec('pragma synchronous = FULL');
      db.exec(`begin immediate; ${spoolTables} ${forgetUnusedOrigins} commit`);
    } catch (error) {
      db.close();
      throw spoolError(path, error);
    }
    return new SpanSpool(db);
  }

  /** Keeps spans, each id of a trace once, and that others are missing: `refusedOf` has the trace of each of those. */
  append(spans: readonly SpooledSpan[], now: number, refusedOf: readonly string[] = []): Promise<AppendedSpans> {
    return this.#commits.run(() => {
      const appended = this.#append(spans, now);
      for (const traceId of refusedOf) this.#countRefused(traceId, now);
      return appended;
    });
  }

  /** Traces whose trial is to be made or made again, those that wait longest first. */
  due(now: number, { quietMs, idleMs }: SpoolWindows, limit: number): DueTrace[] {
    const rows = this.#prepared(
      `select * from (select * from traces where state = 0 and has_root = 1 and last_at <= ? order by last_at limit ?)
       union all
       select * from (select * from traces where state = 0 and has_root = 0 and last_at <= ? order by last_at limit ?)`,
    ).all(now - quietMs, limit, now - idleMs, limit) as Record<string, never>[];
    return rows.slice(0, limit).map(dueTrace);
  }

  /** Closed traces that further spans came for: their trials are not whole. */
  overtaken(limit: number): DueTrace[] {
    const rows = this.#prepared('select * from traces where state = 3 and has_root in (0, 1) limit ?').all(limit);
    return (rows as Record<string, never>[]).map(dueTrace);
  }

  /** Their trials are marked; the verdicts of rules wait to be given again. */
  settleOvertaken(traces: readonly DueTrace[], judgements: readonly NewJudgement[]): Promise<void> {
    return this.#commits.run(() => {
      this.judgements.add(judgements);
      const settled = this.#prepared('update traces set state = 2 where trace_no = ? and refused = ?');
      for (const { traceNo, refused } of traces) settled.run(traceNo, refused);
    });
  }

  /** Spans of a trace, with the text that they have in common. */
  spansOf(traceNo: number): { readonly origin: string; readonly body: string }[] {
    return this.#prepared(
      `select origins.body as origin, spans.body as body from spans join origins using (origin_no) where trace_no = ?`,
    ).all(traceNo) as { origin: string; body: string }[];
  }

  /** Keeps where the trials of traces are put, before they are put there; `write` may use the counters. */
  place<Result>(write: (spool: PlacingSpool) => Result): Promise<Result> {
    return this.#commits.run(() =>
      write({
        setPlace: (traceNo, place) =>
          void this.#prepared('update traces set place = ? where trace_no = ?').run(place, traceNo),
        next: (counter) => this.#next(counter),
        forgetCounters: () => void this.#prepared('delete from counters').run(),
        setFact: (name, value) =>
          void this.#prepared('insert or replace into facts (name, value) values (?, ?)').run(name, value),
      }),
    );
  }

  /** Marks traces as stored, unless further spans have come since; their trials wait for the rules that judge them. */
  settle(
    traces: readonly Pick<DueTrace, 'traceNo' | 'spans' | 'refused'>[],
    judgements: readonly NewJudgement[] = [],
  ): Promise<void> {
    return this.#commits.run(() => {
      this.judgements.add(judgements);
      const settled = this.#prepared('update traces set state = 1 where trace_no = ? and spans = ? and refused = ?');
      for (const { traceNo, spans, refused } of traces) settled.run(traceNo, spans, refused);
    });
  }

  /** Removes the spans of traces, which are never made into trials again. */
  close(traceNos: readonly number[]): Promise<void> {
    return this.#commits.run(() => this.#close(traceNos));
  }

  /** Removes what is kept for late spans longer than its time, or where the file is too large; gives the number of traces. */
  async sweep(now: number, { lateMs, closedMs }: SpoolWindows, mostBytes: number): Promise<number> {
    const isFull = this.bytes > mostBytes * 0.8;
    const before = isFull ? now : now - lateMs;
    const rows = this.#prepared(
      `select trace_no from traces where state = 1 and has_root in (0, 1) and last_at <= ? limit 1000`,
    ).all(before) as { trace_no: number }[];
    await this.#commits.run(() => {
      this.#close(rows.map(({ trace_no }) => trace_no));
      this.#prepared(
        `delete from traces where trace_no in
         (select trace_no from traces where state = 2 and has_root in (0, 1) and last_at <= ? limit 1000)`,
      ).run(now - closedMs);
    });
    return rows.length;
  }

  /** Bytes of the file that are in use. */
  get bytes(): number {
    const pragma = (name: string): number =>
      Number(Object.values(this.#prepared(`pragma ${name}`).get() as Record<string, number>)[0]);
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  }

  /** Traces that wait for spans or for their trial. */
  get openTraces(): number {
    const row = this.#prepared('select count(*) as n from traces where state = 0').get() as { n: number };
    return Number(row.n);
  }

  fact(name: string): string | undefined {
    const row = this.#prepared('select value from facts where name = ?').get(name) as { value: string } | undefined;
    return row?.value;
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    if (!this.#db.isOpen) return;
    try {
      // Statements keep the file and its lock until their memory is freed, so the lock is given back first. A log that
      // was begun under it cannot do without.
      this.#db.exec('pragma journal_mode = delete; pragma locking_mode = normal; select count(*) from facts');
    } catch {}
    this.#db.close();
  }

  #append(spans: readonly SpooledSpan[], now: number): AppendedSpans {
    const counts = { stored: 0, late: 0, duplicates: 0, tooLate: 0, refused: 0 };
    const byTrace = new Map<string, SpooledSpan[]>();
    for (const span of spans) {
      const ofTrace = byTrace.get(span.traceId);
      if (ofTrace) ofTrace.push(span);
      else byTrace.set(span.traceId, [span]);
    }
    for (const [traceId, ofTrace] of byTrace) this.#appendToTrace(traceId, ofTrace, now, counts);
    return counts;
  }

  #appendToTrace(
    traceId: string,
    spans: readonly SpooledSpan[],
    now: number,
    counts: { -readonly [Name in keyof AppendedSpans]: number },
  ): void {
    const trace = this.#traceRow(traceId, now);
    if (trace.state === traceState.closed || trace.state === traceState.overtaken) {
      // Nothing was made of a trace that no rule kept, so nothing is missing from it.
      if (trace.place === null) return;
      counts.tooLate += spans.length;
      this.#overtake(trace.trace_no, spans.length);
      return;
    }
    const insert = this.#prepared(
      'insert or ignore into spans (trace_no, span_id, origin_no, body) values (?, ?, ?, ?)',
    );
    const added = { spans: 0, bytes: 0, refused: 0, hasRoot: 0 };
    for (const { spanId, isRoot, origin, body } of spans) {
      const isFull = trace.spans + added.spans >= mostSpansOfTrace || trace.bytes + added.bytes >= mostBytesOfTrace;
      if (isFull) added.refused++;
      else if (insert.run(trace.trace_no, spanId, this.#originNo(origin), body).changes === 0) {
        counts.duplicates++;
        // The same span again changes nothing; another one with its id contradicts it.
        if (!this.#isKept(trace.trace_no, spanId, body)) added.refused++;
      } else {
        added.spans++;
        added.bytes += body.length;
        if (isRoot) added.hasRoot = 1;
      }
    }
    counts.refused += added.refused;
    counts.stored += added.spans;
    if (trace.state === traceState.stored) counts.late += added.spans;
    if (added.spans + added.refused === 0) return;
    this.#prepared(
      `update traces set state = 0, last_at = ?, spans = spans + ?, bytes = bytes + ?, refused = refused + ?,
       has_root = max(has_root, ?) where trace_no = ?`,
    ).run(now, added.spans, added.bytes, added.refused, added.hasRoot, trace.trace_no);
  }

  #countRefused(traceId: string, now: number): void {
    const { trace_no: traceNo, state, place } = this.#traceRow(traceId, now);
    if (state === traceState.closed || state === traceState.overtaken) {
      if (place !== null) this.#overtake(traceNo, 1);
      return;
    }
    this.#prepared('update traces set state = 0, last_at = ?, refused = refused + 1 where trace_no = ?').run(
      now,
      traceNo,
    );
  }

  #overtake(traceNo: number, spans: number): void {
    this.#prepared('update traces set state = 3, refused = refused + ? where trace_no = ?').run(spans, traceNo);
  }

  #isKept(traceNo: number, spanId: string, body: string): boolean {
    const kept = this.#prepared('select body from spans where trace_no = ? and span_id = ?').get(traceNo, spanId);
    return (kept as { body: string } | undefined)?.body === body;
  }

  #traceRow(traceId: string, now: number): TraceRow {
    const found = this.#prepared('select trace_no, state, spans, bytes, place from traces where trace_id = ?').get(
      traceId,
    );
    if (found) return found as unknown as TraceRow;
    const { lastInsertRowid } = this.#prepared(
      'insert into traces (trace_id, state, first_at, last_at) values (?, 0, ?, ?)',
    ).run(traceId, now, now);
    return { trace_no: Number(lastInsertRowid), state: traceState.open, spans: 0, bytes: 0, place: null };
  }

  #originNo(origin: string): number {
    const remembered = this.#origins.get(origin);
    if (remembered !== undefined) return remembered;
    const find = this.#prepared('select origin_no from origins where body = ?');
    const found = find.get(origin) as { origin_no: number } | undefined;
    const originNo =
      found?.origin_no ?? this.#prepared('insert into origins (body) values (?)').run(origin).lastInsertRowid;
    if (this.#origins.size >= mostKnownOrigins) this.#origins.clear();
    this.#origins.set(origin, Number(originNo));
    return Number(originNo);
  }

  #next(counter: string): number {
    const row = this.#prepared(
      `insert into counters (name, value) values (?, 1) on conflict (name) do update set value = value + 1
       returning value`,
    ).get(counter) as { value: number };
    return Number(row.value);
  }

  #close(traceNos: readonly number[]): void {
    const spans = this.#prepared('delete from spans where trace_no = ?');
    const trace = this.#prepared('update traces set state = 2, bytes = 0 where trace_no = ?');
    for (const traceNo of traceNos) {
      spans.run(traceNo);
      trace.run(traceNo);
    }
  }

  #prepared(text: string): StatementSyncInstance {
    const prepared = this.#statements.get(text);
    if (prepared) return prepared;
    const statement = this.#db.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

function dueTrace(row: Record<string, never>): DueTrace {
  return {
    traceNo: Number(row.trace_no),
    traceId: String(row.trace_id),
    spans: Number(row.spans),
    hasRoot: Number(row.has_root) === 1,
    refused: Number(row.refused),
    lastAt: Number(row.last_at),
    place: row.place === null ? null : String(row.place),
  };
}

function spoolError(path: string, error: unknown): AssayError {
  const message = error instanceof Error ? error.message : String(error);
  if (/locked|busy/i.test(message)) {
    return new AssayError('SPOOL_BUSY', `Another process collects traces into ${path}.`, { cause: error });
  }
  return new AssayError('STORE_UNAVAILABLE', `Cannot open ${path}: ${message}`, { cause: error });
}
