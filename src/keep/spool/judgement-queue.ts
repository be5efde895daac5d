import type { StatementSyncInstance } from '@photostructure/sqlite';
import type { GroupCommit } from './group-commit.ts';

/** A trial that a rule is to judge. */
export interface NewJudgement {
  readonly rule: string;
  readonly traceId: string;
  /** The trial of the trace. */
  readonly trialId: string;
  /** Whether the trial was made again, so a verdict that is stored no longer holds. */
  readonly isReopened: boolean;
}

/** A trial that waits for a rule. */
export interface WaitingJudgement extends NewJudgement {
  readonly judgementNo: number;
  /** Where the judged trial is put, as `place` wrote it; null where that is open. */
  readonly place: string | null;
}

/** Writes to the queue in one transaction. */
export interface JudgementChanges {
  place(judgementNo: number, place: string): void;
  /** Judged, or never to be. */
  remove(judgementNo: number): void;
  setFact(name: string, value: string): void;
}

/** Trials that wait for rules, in the file of the spool: a trial waits until its verdict is stored. */
export class JudgementQueue {
  readonly #commits: GroupCommit;
  readonly #prepared: (text: string) => StatementSyncInstance;

  constructor(commits: GroupCommit, prepared: (text: string) => StatementSyncInstance) {
    this.#commits = commits;
    this.#prepared = prepared;
  }

  /**
   * In a transaction of the caller; one that waits already waits once. One that is reopened gets another number: a worker that
   * is judging it judges a trace that is no longer whole, and does not remove it.
   */
  add(judgements: readonly NewJudgement[]): void {
    const insert = this.#prepared(
      `insert into judgements (rule, trace_id, trial_id, is_reopened) values (?, ?, ?, ?)
       on conflict (rule, trace_id) do update set is_reopened = max(is_reopened, excluded.is_reopened),
       judgement_no = case excluded.is_reopened when 1 then (select max(judgement_no) + 1 from judgements) else judgement_no end`,
    );
    for (const { rule, traceId, trialId, isReopened } of judgements)
      insert.run(rule, traceId, trialId, isReopened ? 1 : 0);
  }

  /** Those that wait longest: first all that have a place already, because a crash left them. */
  next(limit: number): WaitingJudgement[] {
    const placed = this.#rows('place is not null', limit);
    return placed.length > 0 ? placed : this.#rows('place is null', limit);
  }

  get length(): number {
    const row = this.#prepared('select count(*) as n from judgements').get() as { n: number };
    return Number(row.n);
  }

  /** Durable when it is fulfilled. */
  change(write: (changes: JudgementChanges) => void): Promise<void> {
    return this.#commits.run(() =>
      write({
        place: (no, place) =>
          void this.#prepared('update judgements set place = ? where judgement_no = ?').run(place, no),
        remove: (no) => void this.#prepared('delete from judgements where judgement_no = ?').run(no),
        setFact: (name, value) =>
          void this.#prepared('insert or replace into facts (name, value) values (?, ?)').run(name, value),
      }),
    );
  }

  #rows(condition: string, limit: number): WaitingJudgement[] {
    const rows = this.#prepared(`select * from judgements where ${condition} order by judgement_no limit ?`).all(limit);
    return (rows as Record<string, unknown>[]).map((row) => ({
      judgementNo: Number(row.judgement_no),
      rule: String(row.rule),
      traceId: String(row.trace_id),
      trialId: String(row.trial_id),
      isReopened: Number(row.is_reopened) === 1,
      place: row.place === null ? null : String(row.place),
    }));
  }
}
