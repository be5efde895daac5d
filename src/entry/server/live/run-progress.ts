import { addCost, type CostSum, wholeCost } from '../../../domain/cost-sum.ts';
import { marksOf } from '../../../domain/marks.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { type RunCounts, type RunEvent, type RunStatus, totalsOf } from '../../../domain/run.ts';
import { shortReason } from '../../../report/compare/grid/listed-trial.ts';
import { namingInput } from '../../../report/presentation/case-name.ts';
import type { RunStreamEvent, TrialItem } from '../api/runs.ts';

const windowMs = 30_000;
const leastMs = 1_000;
const mostSamples = 240;

/** The recent rate of finished trials; older times say little, since trials differ. */
export class RunRate {
  readonly #samples: { readonly atMs: number; readonly finished: number }[] = [];

  add(atMs: number, finished: number): void {
    this.#samples.push({ atMs, finished });
    const isStale = (): boolean => {
      const [first, second] = this.#samples;
      return first !== undefined && second !== undefined && second.atMs <= atMs - windowMs;
    };
    while (isStale() || this.#samples.length > mostSamples) this.#samples.shift();
  }

  /** Null as long as the rate is unknown. */
  perSecond(): number | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.atMs - first.atMs < leastMs || last.finished <= first.finished) return null;
    return ((last.finished - first.finished) * 1_000) / (last.atMs - first.atMs);
  }
}

type Progress = Extract<RunStreamEvent, { type: 'progress' }>;

const shownRunning = 20;
const shownRecent = 20;

/** How the trials of a run ended so far, from its events. */
export class RunProgress {
  readonly #running = new Map<string, Progress['running'][number]>();
  readonly #rate = new RunRate();
  readonly #counts: { pass: number; fail: number; error: number; skipped: number; cost: CostSum };
  #planned = 0;
  #round: Progress['round'] = null;
  #finished = 0;
  #lastFinishedAt: number | null = null;
  #recent: TrialItem[] = [];

  /** The counts are of what was stored before, where a run is taken up again. */
  constructor({ pass, fail, error, skipped, cost }: Pick<RunCounts, 'pass' | 'fail' | 'error' | 'skipped' | 'cost'>) {
    this.#counts = { pass, fail, error, skipped, cost };
  }

  listen(event: RunEvent): void {
    if (event.type === 'run-started') {
      this.#planned = event.run.planned;
      this.#rate.add(Date.now(), 0);
    } else if (event.type === 'round-started') {
      this.#planned = event.planned;
      this.#round = { round: event.round, rounds: event.rounds };
    } else if (event.type === 'trial-started') {
      const { trialId, scenario, caseId } = event;
      this.#running.set(trialId, { trialId, scenario, caseId });
    } else if (event.type === 'trial-finished') {
      const { record } = event;
      this.#running.delete(record.trialId);
      this.#finished += 1;
      this.#lastFinishedAt = Date.now();
      this.#counts.cost = addCost(this.#counts.cost, record.costUsd);
      this.#counts[record.outcome] += 1;
      this.#remember(recordItem(record));
    } else if (event.type === 'trials-requeued') {
      this.#counts.error -= Math.min(event.count, this.#counts.error);
    }
  }

  /** The current state; trials finished since the last call are reported once. */
  take(status: RunStatus, now: number): Progress {
    this.#rate.add(now, this.#finished);
    const { cost } = this.#counts;
    const totals = totalsOf(this.#planned, this.#counts);
    const perSecond = this.#rate.perSecond();
    const recent = this.#recent;
    this.#recent = [];
    return {
      type: 'progress',
      status,
      totals,
      round: this.#round,
      running: [...this.#running.values()].slice(0, shownRunning),
      finishedPerSecond: perSecond,
      lastFinishedAt: this.#lastFinishedAt,
      secondsLeft: perSecond === null ? null : totals.notRun / perSecond,
      costUsd: wholeCost(cost),
      cost,
      recent: recent.sort((a, b) => Number(a.outcome === 'pass') - Number(b.outcome === 'pass')),
    };
  }

  /** Trials that did not pass replace passed ones where there are too many. */
  #remember(item: TrialItem): void {
    if (this.#recent.length < shownRecent) {
      this.#recent.push(item);
      return;
    }
    const passed = item.outcome === 'pass' ? -1 : this.#recent.findIndex(({ outcome }) => outcome === 'pass');
    if (passed !== -1) this.#recent[passed] = item;
  }
}

/** A record as lists show it. */
function recordItem(record: TrialRecord): TrialItem {
  const { trialId, runId, ordinal, scenario, file, caseId, variant, repeat, outcome } = record;
  const { reason, startedAt, durationMs, costUsd, usage, fault } = record;
  return {
    trialId,
    runId,
    ordinal,
    scenario,
    file,
    caseId,
    variant,
    repeat,
    outcome,
    reason: shortReason(reason),
    faultCode: fault?.code ?? null,
    startedAt,
    durationMs,
    costUsd,
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    input: namingInput(record),
    marks: marksOf(record),
  };
}
