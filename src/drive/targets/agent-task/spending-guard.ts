import { AssayError } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import type { RunningUsage } from '../../agents/agent.ts';
import type { Budget, CostOf } from './agent-work.ts';

interface SpendingLimits {
  /** Of the one trial. */
  readonly maxUsd: number | undefined;
  /** Of all trials together. */
  readonly budget: Budget | undefined;
  readonly costOf: CostOf;
  /** Prices requests that do not say which model they went to. */
  readonly model: string | undefined;
}

/** Sees the requests of the agent itself, and keeps the limits before they are sent. */
interface SpendingObserver {
  readonly hasUsage: boolean;
}

/** Prices what the agent uses and stops it when the money is spent. */
export class SpendingGuard {
  readonly #limits: SpendingLimits;
  readonly #stop = new AbortController();
  /** Of the usage that is in the trace, which is what counts in the end. */
  #spentUsd = 0;
  /** Of the usage that the agent has reported while it works, before it is in the trace. */
  #runningUsd = 0;
  #hasAgentEnded = false;
  #wasStopped = false;
  #isRunOver = false;
  #gateway: SpendingObserver | undefined;
  #refusal: AssayError | undefined;

  constructor(limits: SpendingLimits) {
    this.#limits = limits;
  }

  /** Aborted when there is nothing left to spend. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Passes events on, with the cost of each request filled in where a price is known. */
  watch(emit: EmitTrace): EmitTrace {
    return (event) => {
      if (event.type !== 'usage') return emit(event);
      // The gateway has counted these tokens already.
      if (event.seenBy !== 'gateway' && this.#gateway?.hasUsage) return emit(event);
      const costUsd = event.costUsd ?? this.#priceOf(event);
      emit(costUsd === undefined ? event : { ...event, costUsd });
      this.#spentUsd += costUsd ?? 0;
      if (event.seenBy === 'gateway') return;
      if (this.#limits.budget?.spend(costUsd ?? 0) === false) this.#isRunOver = true;
      this.#stopIfSpent();
    };
  }

  /** Takes the agent's usage up to now, which replaces the usage given before. */
  noteUsage(soFar: readonly RunningUsage[]): void {
    if (this.#gateway?.hasUsage) return;
    this.#runningUsd = soFar.reduce((sum, usage) => sum + (this.#priceOf(usage) ?? 0), 0);
    this.#stopIfSpent();
  }

  /** Leaves the counting to the gateway as soon as it sees tokens. */
  leaveTo(gateway: SpendingObserver): void {
    this.#gateway = gateway;
  }

  /** Stops the agent, because its next request could pass a limit. */
  refuse(reason: AssayError): void {
    this.#refusal ??= reason;
    if (this.#hasAgentEnded || this.#wasStopped) return;
    this.#wasStopped = true;
    this.#stop.abort();
  }

  /** To be called when the agent has ended, or is being ended. */
  agentEnded(): void {
    this.#hasAgentEnded = true;
  }

  /** Why nothing more may be spent; undefined where the limits were kept. */
  get exhausted(): AssayError | undefined {
    if (this.#refusal) return this.#refusal;
    if (!this.#isSpent) return undefined;
    const { maxUsd } = this.#limits;
    const usd = money(this.#usd);
    const limit = this.#isTrialOver ? `a limit of ${money(maxUsd ?? 0)} for one trial` : 'the limit for the whole run';
    const message = this.#wasStopped
      ? `The agent was stopped after ${usd}, which is more than ${limit}.`
      : `The agent had spent ${usd} when it ended, which is more than ${limit}. It reported its cost only when it ended, so it could not be stopped earlier.`;
    return new AssayError('MODEL_BUDGET_REACHED', message, {
      hint: this.#isTrialOver ? 'Raise `cost.max_usd` of the scenario, or use a cheaper model.' : undefined,
    });
  }

  #priceOf(usage: RunningUsage | Parameters<CostOf>[1]): number | undefined {
    const { costOf, model } = this.#limits;
    const priced = ('model' in usage ? usage.model : undefined) ?? model;
    return priced === undefined ? undefined : costOf(priced, usage);
  }

  get #usd(): number {
    return Math.max(this.#spentUsd, this.#runningUsd);
  }

  get #isTrialOver(): boolean {
    const { maxUsd } = this.#limits;
    return maxUsd !== undefined && this.#usd > maxUsd;
  }

  get #isSpent(): boolean {
    return this.#isTrialOver || this.#isRunOver;
  }

  #stopIfSpent(): void {
    if (!this.#isSpent || this.#hasAgentEnded || this.#wasStopped) return;
    this.#wasStopped = true;
    this.#stop.abort();
  }
}

function money(usd: number): string {
  return usd < 0.01 && usd > 0 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}
