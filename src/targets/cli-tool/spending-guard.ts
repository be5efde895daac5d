import { AssayError } from '../../domain/errors.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { Budget, CostOf } from '../agent-work.ts';

interface SpendingLimits {
  /** Of the one trial. */
  readonly maxUsd: number | undefined;
  /** Of all trials together. */
  readonly budget: Budget | undefined;
  readonly costOf: CostOf;
  /** Prices requests that do not say which model they went to. */
  readonly model: string | undefined;
  /** Called once, when there is nothing left to spend. */
  readonly onExhausted: () => void;
}

/** Prices what the agent uses and stops it when the money is spent. */
export class SpendingGuard {
  readonly #limits: SpendingLimits;
  #spentUsd = 0;
  /** Why nothing more may be spent. */
  exhausted: AssayError | undefined;

  constructor(limits: SpendingLimits) {
    this.#limits = limits;
  }

  /** Passes events on, with the cost of each request filled in where a price is known. */
  watch(emit: EmitTrace): EmitTrace {
    return (event) => {
      if (event.type !== 'usage') return emit(event);
      const { costOf, model } = this.#limits;
      const priced = event.model ?? model;
      const costUsd = event.costUsd ?? (priced === undefined ? undefined : costOf(priced, event));
      emit(costUsd === undefined ? event : { ...event, costUsd });
      this.#count(costUsd ?? 0);
    };
  }

  #count(usd: number): void {
    const { maxUsd, budget, onExhausted } = this.#limits;
    this.#spentUsd += usd;
    const isRunOver = budget?.spend(usd) === false;
    const isTrialOver = maxUsd !== undefined && this.#spentUsd > maxUsd;
    if (this.exhausted || !(isRunOver || isTrialOver)) return;
    const limit = isTrialOver ? `the limit of $${maxUsd} for one trial` : 'the limit for the whole run';
    this.exhausted = new AssayError('MODEL_BUDGET_REACHED', `The agent was stopped: ${limit} is spent.`, {
      hint: isTrialOver ? 'Raise `cost.max_usd` of the scenario, or use a cheaper model.' : undefined,
    });
    onExhausted();
  }
}
