import { AssayError } from '../../domain/errors.ts';
import { untilAborted } from '../../shared/async.ts';
import type { Model, ModelRequest } from './model.ts';
import { ModelFailure } from './model-failure.ts';
import { costUsd, type Price } from './prices.ts';

/** Under a limit a reply must have an end; this one is asked for when the request names none. */
export const outputTokensUnderLimit = 8_192;
/** Tokens that providers add by themselves: roles, preambles of tools, wrapped schemas. */
const overheadTokens = 1_000;

interface Reservation {
  readonly mostUsd: number;
}

/** What calls have cost, and under a limit also what those in flight may still cost. */
export class Spending {
  readonly limitUsd: number | undefined;
  #spentUsd = 0;
  /** The most that calls may have cost whose price was never learnt. */
  #doubtfulUsd = 0;
  readonly #inFlight = new Set<Reservation>();
  readonly #waiting = new Set<() => void>();

  constructor(limitUsd: number | undefined) {
    this.limitUsd = limitUsd;
  }

  get spentUsd(): number {
    return this.#spentUsd;
  }

  add(usd: number): void {
    this.#spentUsd += usd;
  }

  /** Refuses work that costs something when there is nothing left for it. */
  assertLeft(): void {
    if (this.#isUsedUp())
      throw new AssayError('MODEL_BUDGET_REACHED', `All of ${dollars(this.limitUsd ?? 0)} is spent.`);
  }

  /** Counts what was spent, and tells whether something is left. */
  spend(usd: number): boolean {
    this.add(usd);
    return !this.#isUsedUp();
  }

  #isUsedUp(): boolean {
    return this.limitUsd !== undefined && this.#spentUsd + this.#doubtfulUsd >= this.limitUsd;
  }

  /** Sets money aside. Waits for calls in flight when they may leave enough, and rejects when they cannot. */
  async reserve(mostUsd: number, name: string, signal: AbortSignal): Promise<Reservation> {
    const limitUsd = this.limitUsd ?? Number.POSITIVE_INFINITY;
    for (;;) {
      const withoutOthersUsd = this.#spentUsd + this.#doubtfulUsd + mostUsd;
      if (withoutOthersUsd > limitUsd) throw this.#refusal(mostUsd, name);
      const othersUsd = [...this.#inFlight].reduce((sum, other) => sum + other.mostUsd, 0);
      if (withoutOthersUsd + othersUsd <= limitUsd) break;
      await untilAborted(new Promise<void>((resolve) => this.#waiting.add(resolve)), signal);
    }
    const reservation = { mostUsd };
    this.#inFlight.add(reservation);
    return reservation;
  }

  /** Ends a reservation with what the call cost; null when that will never be known. */
  settle(reservation: Reservation, usd: number | null): void {
    this.#inFlight.delete(reservation);
    if (usd === null) this.#doubtfulUsd += reservation.mostUsd;
    else this.#spentUsd += usd;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #refusal(mostUsd: number, name: string): AssayError {
    const spent = this.#spentUsd + this.#doubtfulUsd;
    const message = `A call of ${name} may cost ${dollars(mostUsd)}; ${dollars(spent)} of ${dollars(this.limitUsd ?? 0)} are spent.`;
    return new AssayError('MODEL_BUDGET_REACHED', message);
  }
}

/** Counts what calls cost, and makes none that could pass the limit. */
export function withSpending(inner: Model, spending: Spending, price: () => Promise<Price | null>): Model {
  const counted: Model['generate'] = async (request, signal, unanswered) => {
    const reply = await inner.generate(request, signal, unanswered);
    spending.add(reply.costUsd ?? 0);
    return reply;
  };
  const limited: Model['generate'] = async (request, signal, unanswered) => {
    const found = await price();
    if (!found) throw noPrice(inner.name);
    const bounded = { ...request, maxOutputTokens: request.maxOutputTokens ?? outputTokensUnderLimit };
    const reservation = await spending.reserve(costUsd(found, mostUsage(bounded)), inner.name, signal);
    try {
      const reply = await inner.generate(bounded, signal, unanswered);
      spending.settle(reservation, reply.costUsd);
      return reply;
    } catch (error) {
      const isFree = error instanceof ModelFailure && !error.traits.mayBeBilled;
      spending.settle(reservation, isFree ? 0 : null);
      throw error;
    }
  };
  return { name: inner.name, generate: spending.limitUsd === undefined ? counted : limited };
}

function mostUsage(request: ModelRequest & { readonly maxOutputTokens: number }) {
  const inputTokens = mostInputTokens(Buffer.byteLength(JSON.stringify(request)));
  return { inputTokens, outputTokens: request.maxOutputTokens };
}

/** No tokeniser makes more tokens than there are bytes. */
export function mostInputTokens(bytes: number): number {
  return bytes + overheadTokens;
}

/** Under a limit nothing is sent whose cost cannot be known. */
export function noPrice(name: string): AssayError {
  return new AssayError('MODEL_NO_PRICE', `The price of ${name} is not known, and there is a spending limit.`, {
    hint: `Set \`models.prices: { "${name}": { inputPer1M: …, outputPer1M: … } }\` in the config, or run without --max-usd.`,
  });
}

function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 0.1 ? 6 : 2)}`;
}
