import { addCost, type CostSum, noCost } from '../../domain/cost-sum.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { RunEvent } from '../../domain/run.ts';
import { trialTitle } from '../../report/presentation/trial-text.ts';

/** Fewer say little about those to come. */
const leastFinished = 3;
/** A trial that takes longer than the mean is nearly done, as far as anyone knows. */
const lateShare = 0.9;

/** A trial that runs now. */
export interface RunningTrial {
  readonly title: string;
  readonly beganAt: number;
  readonly action: string | undefined;
}

/** Where a run stands, from its events; all times are of the clock that is given with them. */
export class RunState {
  readonly outcomes: Record<Outcome, number> = { pass: 0, fail: 0, error: 0, skipped: 0 };
  /** By id, in the order of their start. */
  readonly running = new Map<string, RunningTrial>();
  cost: CostSum = noCost;
  planned = 0;
  alreadyStored = 0;
  beganAt: number | undefined;
  isPaused = false;
  #durations = 0;
  #measured = 0;

  get finished(): number {
    return this.outcomes.pass + this.outcomes.fail + this.outcomes.error;
  }

  note(event: RunEvent, now: number): void {
    if (event.type === 'run-started') this.#begin(event.run.planned, event.alreadyStored, now);
    else if (event.type === 'trial-started')
      this.running.set(event.trialId, { title: trialTitle(event), beganAt: now, action: undefined });
    else if (event.type === 'trial-action') this.#noteAction(event.trialId, event.action);
    else if (event.type === 'trial-finished') this.#finish(event.record);
    else if (event.type === 'round-started') this.planned = event.planned;
    else if (event.type === 'trials-requeued') this.outcomes.error -= Math.min(event.count, this.outcomes.error);
    else if (event.type === 'run-changed') this.isPaused = event.isPaused;
  }

  /**
   * The time that the rest will take; trials that run count with the part of the mean duration that they have taken. There
   * is none as long as few have finished, and when only trials are left that take longer than those before.
   */
  leftMs(now: number): number | undefined {
    const { finished, beganAt } = this;
    const left = this.planned - this.alreadyStored - finished;
    if (finished < leastFinished || beganAt === undefined || left <= 0 || this.isPaused) return undefined;
    const meanMs = Math.max(1, this.#measured > 0 ? this.#durations / this.#measured : 0);
    let begun = 0;
    let isAnyLate = false;
    for (const trial of this.running.values()) {
      const share = (now - trial.beganAt) / meanMs;
      isAnyLate ||= share > 1;
      begun += Math.min(lateShare, share);
    }
    if (isAnyLate && left <= this.running.size) return undefined;
    return ((left - Math.min(begun, left)) * (now - beganAt)) / (finished + begun);
  }

  #begin(planned: number, alreadyStored: number, now: number): void {
    Object.assign(this.outcomes, { pass: 0, fail: 0, error: 0, skipped: 0 });
    this.running.clear();
    this.cost = noCost;
    this.planned = planned;
    this.alreadyStored = alreadyStored;
    this.beganAt = now;
  }

  #noteAction(trialId: string, action: string): void {
    const trial = this.running.get(trialId);
    if (trial) this.running.set(trialId, { ...trial, action });
  }

  #finish({ trialId, outcome, costUsd, durationMs }: Extract<RunEvent, { type: 'trial-finished' }>['record']): void {
    this.running.delete(trialId);
    this.outcomes[outcome]++;
    this.cost = addCost(this.cost, costUsd);
    if (durationMs === null) return;
    this.#durations += durationMs;
    this.#measured++;
  }
}
