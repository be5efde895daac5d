import { AssayError } from '../../domain/errors.ts';
import { totalTokensOf, type Usage } from '../../domain/usage.ts';
import { grouped } from '../../shared/format.ts';
import { type Reservation, ReservedAmount } from '../models/reserved-amount.ts';
import type { Spending } from '../models/spending.ts';

/** The limits that calls of one trial must keep. */
export interface CallLimits {
  /** Of the trial, in US dollars. */
  readonly maxUsd?: number | undefined;
  /** Of the trial. */
  readonly maxTokens?: number | undefined;
  /** Limit that all trials of a run share. */
  readonly run?: Pick<Spending, 'setAside' | 'extend' | 'settle' | 'left' | 'limitUsd' | 'add'> | undefined;
  costOf(model: string, usage: Usage): number | undefined;
}

interface PurseFacts {
  readonly amount: Pick<ReservedAmount, 'setAside' | 'extend' | 'settle' | 'left'>;
  /** Its limit, in words. */
  readonly limit: string;
  readonly hint?: string | undefined;
  readonly isMoney: boolean;
  /** The part that a call uses; undefined where its price is not known. */
  readonly partOf: (models: readonly string[], usage: Usage) => number | undefined;
  readonly show: (part: number) => string;
}

/** One of the limits: an amount of dollars or tokens that calls use up. */
export class Purse {
  readonly amount: PurseFacts['amount'];
  readonly isMoney: boolean;
  readonly partOf: PurseFacts['partOf'];
  readonly #facts: PurseFacts;
  /** By this trial. */
  #spent = 0;

  constructor(facts: PurseFacts) {
    this.amount = facts.amount;
    this.isMoney = facts.isMoney;
    this.partOf = facts.partOf;
    this.#facts = facts;
  }

  settle(reservation: Reservation, part: number | null): void {
    this.#spent += part ?? 0;
    this.amount.settle(reservation, part);
  }

  /** Why a call is not sent. */
  refusal(most: number): AssayError {
    const { limit, show } = this.#facts;
    const left = show(Math.max(0, this.amount.left));
    return this.#stopped(`its next request could take ${show(most)}, and ${limit} leaves ${left}.`);
  }

  /** Why a reply is not passed on to its end. */
  cut(reached: number): AssayError {
    const { limit, show } = this.#facts;
    return this.#stopped(`a reply of its model was cut at ${show(reached)}, because ${limit} leaves no more.`);
  }

  #stopped(why: string): AssayError {
    const { hint, show } = this.#facts;
    return new AssayError('MODEL_BUDGET_REACHED', `The agent was stopped after ${show(this.#spent)}: ${why}`, { hint });
  }
}

/** The limits of a trial. */
export function openPurses({ maxUsd, maxTokens, run, costOf }: CallLimits): Purse[] {
  const partOf = (models: readonly string[], usage: Usage) => costOfCall(costOf, models, usage);
  const cost = { isMoney: true, partOf, show: money };
  const facts: PurseFacts[] = [];
  if (maxUsd !== undefined) {
    const hint = 'Raise `cost.max_usd` of the scenario, or use a cheaper model.';
    const limit = `a limit of ${money(maxUsd)} for one trial`;
    facts.push({ ...cost, amount: new ReservedAmount(maxUsd), limit, hint });
  }
  if (run?.limitUsd !== undefined) facts.push({ ...cost, amount: run, limit: 'the limit for the whole run' });
  if (maxTokens !== undefined) {
    facts.push({
      amount: new ReservedAmount(maxTokens),
      isMoney: false,
      limit: `a limit of ${tokens(maxTokens)} for one trial`,
      hint: 'Raise `cost.max_tokens` of the scenario.',
      partOf: (_models, usage) => totalTokensOf(usage),
      show: tokens,
    });
  }
  return facts.map((each) => new Purse(each));
}

/** Cost of a call by the first of its names that has a price. */
export function costOfCall(costOf: CallLimits['costOf'], models: readonly string[], usage: Usage): number | undefined {
  for (const model of models) {
    const usd = costOf(model, usage);
    if (usd !== undefined) return usd;
  }
  return undefined;
}

function money(usd: number): string {
  return usd < 0.01 && usd > 0 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}

function tokens(count: number): string {
  return `${grouped(Math.ceil(count))} ${count === 1 ? 'token' : 'tokens'}`;
}
