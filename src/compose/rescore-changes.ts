import type { Outcome } from '../domain/outcome.ts';
import type { Emit } from '../domain/run-event.ts';

/** How many trials had one outcome before and have another now. */
export interface OutcomeChange {
  readonly before: Outcome;
  readonly now: Outcome;
  readonly count: number;
}

/** Counts the trials that end otherwise than they did; holds no more than what is being evaluated. */
export class OutcomeChanges {
  readonly #before = new Map<string, Outcome>();
  readonly #counts = new Map<string, OutcomeChange>();

  /** A trial is about to be evaluated again. */
  expect(trialId: string, before: Outcome): void {
    this.#before.set(trialId, before);
  }

  readonly listen: Emit = (event) => {
    if (event.type !== 'trial-finished') return;
    const { trialId, outcome: now } = event.record;
    const before = this.#before.get(trialId);
    this.#before.delete(trialId);
    if (before === undefined || before === now) return;
    const key = `${before} ${now}`;
    this.#counts.set(key, { before, now, count: (this.#counts.get(key)?.count ?? 0) + 1 });
  };

  /** The most frequent first. */
  list(): OutcomeChange[] {
    return [...this.#counts.values()].sort((a, b) => b.count - a.count);
  }
}
