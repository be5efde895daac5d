import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { asAssayError } from '../../domain/errors.ts';
import { type DueTrace, SpanSpool, type SpoolWindows } from '../../keep/spool/span-spool.ts';
import type { Store } from '../../keep/store/store.ts';
import { type Feedback, feedbackIn } from '../../load/collect/feedback.ts';
import type { PartialSuccess, Signal } from '../../load/collect/otlp-protobuf.ts';
import { readExport, readLogs } from '../../load/collect/read-export.ts';
import { pause } from '../../shared/async.ts';
import { parseBytes } from '../../shared/format.ts';
import { type Redact, rememberingClean } from '../../shared/redaction/redaction.ts';
import { baselineRunIds } from '../compare/baseline-file.ts';
import type { CollectConfig } from '../config/collect-config.ts';
import type { Project } from '../config/project.ts';
import { projectRedaction } from '../config/redaction.ts';
import { driftAlerts } from '../rules/alert-drift.ts';
import { prepareRules, type Rule } from '../rules/prepare-rules.ts';
import { TraceRules } from '../rules/trace-rules.ts';
import { removeOldCollectedRuns } from './collected-retention.ts';
import { CollectedRuns } from './collected-runs.ts';
import { finishTraces, markOvertaken } from './finish-traces.ts';
import { KeptFeedback } from './kept-feedback.ts';

/** Work of a collector since it was opened. */
export interface CollectorCounts {
  readonly requests: number;
  /** Accepted, each once. */
  readonly spans: number;
  readonly duplicates: number;
  /** Joined to a trace that had a trial already. */
  readonly late: number;
  readonly refused: number;
  /** Trials that were stored, or made again because of late spans. */
  readonly trials: number;
  /** Traces that sampling dropped, and traces that are not about agents. */
  readonly dropped: number;
  /** Verdicts of rules that were stored. */
  readonly judged: number;
}

/** The spool has no room for further spans. */
export class SpoolFull extends Error {}

interface CollectorOptions {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  /** Receives what goes wrong beside the requests. */
  warn(message: string): void;
}

const tracesAtOnce = 8;
const pauseMs = 100;
const longestPauseMs = 10_000;
const reportMs = 1_000;
const sweepMs = 5_000;
const retentionMs = 600_000;
const closedMs = 86_400_000;

/** Takes spans in, and makes their traces into trials of collected runs when they are whole. */
export class Collector implements AsyncDisposable {
  readonly #options: CollectorOptions;
  readonly #config: CollectConfig;
  readonly #windows: SpoolWindows;
  readonly #mostSpoolBytes: number;
  readonly #redact: Redact;
  readonly #spool: SpanSpool;
  readonly #runs: CollectedRuns;
  readonly #rules: TraceRules | undefined;
  readonly #feedback: KeptFeedback;
  readonly #counts = { requests: 0, spans: 0, duplicates: 0, late: 0, refused: 0, trials: 0, dropped: 0 };
  readonly #doneAt = { report: 0, sweep: 0, retention: 0 };
  readonly #ending = new AbortController();
  readonly #finishing: Promise<void>;
  readonly #receiving = new Set<Promise<unknown>>();

  private constructor(options: CollectorOptions, spool: SpanSpool, rules: readonly Rule[]) {
    const { project, env, store, warn } = options;
    const { collect } = project.config;
    this.#options = options;
    this.#config = collect;
    this.#windows = {
      quietMs: collect.quietSecs * 1_000,
      idleMs: collect.idleSecs * 1_000,
      lateMs: collect.lateSecs * 1_000,
      closedMs,
    };
    this.#mostSpoolBytes = parseBytes(collect.maxSpool) ?? 0;
    this.#redact = rememberingClean(projectRedaction(project, env));
    this.#spool = spool;
    this.#feedback = new KeptFeedback(project.folder);
    this.#runs = new CollectedRuns(store, spool, collect.runs);
    const onRunsEnded = driftAlerts({ project, env, store, spool, warn });
    if (rules.length > 0) this.#rules = new TraceRules(rules, { project, env, store, spool, warn, onRunsEnded });
    this.#finishing = this.#finishUntilEnd();
  }

  /** Refused where another process collects for the same project, and where a rule is wrong. */
  static async open(options: CollectorOptions): Promise<Collector> {
    const { project, env } = options;
    const rules = await prepareRules(project, env);
    return new Collector(options, SpanSpool.open(join(project.folder, '.assay', 'collect', 'spool.db')), rules);
  }

  get counts(): CollectorCounts {
    return { ...this.#counts, judged: this.#rules?.judged ?? 0 };
  }

  /** Keeps the spans of an export request; fulfilled when they are durable. */
  async receive(request: unknown, signal: Signal): Promise<PartialSuccess | undefined> {
    const received = this.#receive(request, signal);
    this.#receiving.add(received);
    try {
      return await received;
    } finally {
      this.#receiving.delete(received);
    }
  }

  async #receive(request: unknown, signal: Signal): Promise<PartialSuccess | undefined> {
    this.#counts.requests++;
    if (this.#spool.bytes > this.#mostSpoolBytes) throw new SpoolFull();
    const read = signal === 'logs' ? readLogs : readExport;
    const { spans, refused } = read(request, this.#redact);
    await this.#feedback.add(feedbackIn(spans), this.#redact);
    const {
      stored,
      duplicates,
      late,
      tooLate,
      refused: notKept,
    } = await this.#spool.append(
      spans,
      Date.now(),
      refused.flatMap(({ traceId }) => traceId ?? []),
    );
    this.#counts.spans += stored;
    this.#counts.duplicates += duplicates;
    this.#counts.late += late;
    const reasons = [
      ...(tooLate > 0 ? [`${tooLate} came more than ${this.#config.lateSecs} s after the others of their trace`] : []),
      ...(notKept > 0 ? [`${notKept} are of a trace that has too many spans, or another span with the same id`] : []),
      ...new Set(refused.map(({ reason }) => reason)),
    ];
    const rejectedSpans = refused.length + tooLate + notKept;
    this.#counts.refused += rejectedSpans;
    return rejectedSpans === 0 ? undefined : { rejectedSpans, errorMessage: reasons.slice(0, 5).join('; ') };
  }

  /** Keeps a person's label of a trace; fulfilled when it is durable. */
  label(feedback: Feedback): Promise<void> {
    return this.#feedback.add([feedback], this.#redact);
  }

  /** Traces whose root has arrived become trials at once; the others stay in the spool for the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#finishing;
    await Promise.allSettled(this.#receiving);
    try {
      while ((await this.#finishDue({ ...this.#windows, quietMs: 0 })) > 0) await nextTurn();
      await this.#runs[Symbol.asyncDispose]();
    } catch (error) {
      this.#options.warn(`Traces stay in the spool until the next start: ${asAssayError(error).message}`);
    } finally {
      // Also where the store is gone: rules that go on would keep the process alive.
      await this.#rules?.[Symbol.asyncDispose]();
      this.#spool[Symbol.dispose]();
    }
  }

  async #finishUntilEnd(): Promise<void> {
    let waitMs = pauseMs;
    while (!this.#ending.signal.aborted) {
      try {
        const finished = await this.#finishDue(this.#windows);
        await this.#maintain(Date.now());
        waitMs = finished === 0 ? pauseMs : 0;
      } catch (error) {
        // Spans are safe in the spool until the store can be written again.
        if (waitMs < longestPauseMs) this.#options.warn(asAssayError(error).message);
        waitMs = Math.min(longestPauseMs, Math.max(1_000, waitMs * 2));
      }
      await pause(waitMs, this.#ending.signal);
    }
  }

  async #finishDue(windows: SpoolWindows): Promise<number> {
    const context = {
      spool: this.#spool,
      runs: this.#runs,
      store: this.#options.store,
      sample: this.#config.sample,
      rules: this.#rules,
      redact: this.#redact,
    };
    const overtaken = this.#spool.overtaken(tracesAtOnce);
    if (overtaken.length > 0) await markOvertaken(overtaken, context);
    const due: DueTrace[] = this.#spool.due(Date.now(), windows, tracesAtOnce);
    if (due.length === 0) return overtaken.length;
    const { trials, dropped } = await finishTraces(due, context);
    this.#counts.trials += trials;
    this.#counts.dropped += dropped;
    return due.length + overtaken.length;
  }

  async #maintain(now: number): Promise<void> {
    const isTime = (what: 'report' | 'sweep' | 'retention', everyMs: number): boolean => {
      if (now - this.#doneAt[what] < everyMs) return false;
      this.#doneAt[what] = now;
      return true;
    };
    if (isTime('report', reportMs)) await this.#runs.report();
    if (isTime('sweep', sweepMs)) await this.#sweep(now);
    if (isTime('retention', retentionMs)) {
      const { store, project } = this.#options;
      await removeOldCollectedRuns(store, await baselineRunIds(project.folder), this.#config.retention, now);
    }
  }

  async #sweep(now: number): Promise<void> {
    while ((await this.#spool.sweep(now, this.#windows, this.#mostSpoolBytes)) > 0) await nextTurn();
  }
}
