import { AssayError } from '../../domain/errors.ts';
import { untilAborted } from '../../shared/async.ts';
import type { Account, PaidRequest, Payment } from './account.ts';
import type { Model, ModelRequest } from './model.ts';
import { ModelFailure } from './model-failure.ts';
import type { ModelsConfig } from './models-config.ts';
import { costUsd, findPrice, mostCostUsd, type Price } from './prices.ts';

/** Under a spending limit every reply needs a maximum length; the default for requests that set none. */
const outputTokensUnderLimit = 8_192;
/** Tokens that providers add by themselves: roles, preambles of tools, wrapped schemas. */
const overheadTokens = 1_000;

/** Money that is set aside for one call. */
export interface Reservation {
  readonly mostUsd: number;
}

/** The cost of calls, and under a limit also the possible cost of those in flight. */
export class Spending {
  #limitUsd: number | undefined;
  #spentUsd = 0;
  /** The most that calls may have cost whose price was never learnt. */
  #doubtfulUsd = 0;
  readonly #inFlight = new Set<Reservation>();
  readonly #waiting = new Set<() => void>();

  constructor(limitUsd: number | undefined) {
    this.#limitUsd = limitUsd;
  }

  get limitUsd(): number | undefined {
    return this.#limitUsd;
  }

  /** Changes the limit of spending that has one; calls that wait for money look again. */
  setLimit(usd: number): void {
    this.#limitUsd = usd;
    this.#wakeWaiting();
  }

  get spentUsd(): number {
    return this.#spentUsd;
  }

  /** Money that calls may still cost once those in flight have ended without cost; infinite where there is no limit. */
  get leftUsd(): number {
    return (this.limitUsd ?? Number.POSITIVE_INFINITY) - this.#spentUsd - this.#doubtfulUsd;
  }

  add(usd: number): void {
    this.#spentUsd += usd;
  }

  /** Refuses work that costs something when there is nothing left for it. */
  assertLeft(): void {
    if (this.#isUsedUp())
      throw new AssayError('MODEL_BUDGET_REACHED', `The spending limit of ${dollars(this.limitUsd ?? 0)} is reached.`);
  }

  /** Counts a cost, and returns whether something is left. */
  spend(usd: number): boolean {
    this.add(usd);
    return !this.#isUsedUp();
  }

  #isUsedUp(): boolean {
    return this.limitUsd !== undefined && this.#spentUsd + this.#doubtfulUsd >= this.limitUsd;
  }

  /** Sets money aside. Waits for calls in flight when they may leave enough, and rejects when they cannot. */
  async reserve(mostUsd: number, name: string, signal: AbortSignal): Promise<Reservation> {
    for (;;) {
      const limitUsd = this.limitUsd ?? Number.POSITIVE_INFINITY;
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
    this.#wakeWaiting();
  }

  #wakeWaiting(): void {
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
    const reservation = await spending.reserve(mostUsdOf(found, bounded), inner.name, signal);
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

function mostUsdOf(price: Price, request: ModelRequest & { readonly maxOutputTokens: number }): number {
  const files = request.messages.flatMap((message) => (message.role === 'user' ? (message.files ?? []) : []));
  // They are sent in Base64, which makes four bytes of three.
  const fileBytes = files.reduce((sum, { bytes }) => sum + 4 * Math.ceil(bytes / 3), 0);
  const inputTokens = mostTokensOfBytes(Buffer.byteLength(JSON.stringify(request)) + fileBytes);
  return mostCostUsd(price, inputTokens, request.maxOutputTokens);
}

/** No tokeniser makes more tokens than there are bytes. */
function mostTokensOfBytes(bytes: number): number {
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

/** Prices what targets send to providers themselves, by the rules and prices of the models of the run. */
export class RunAccount implements Account {
  readonly outputTokensUnderLimit: number | undefined;
  readonly #spending: Spending;
  readonly #config: ModelsConfig;
  readonly #prices = new Map<string, Promise<Price | null>>();

  constructor(spending: Spending, config: ModelsConfig) {
    this.#spending = spending;
    this.#config = config;
    this.outputTokensUnderLimit = spending.limitUsd === undefined ? undefined : outputTokensUnderLimit;
  }

  async pay<Answer>(request: PaidRequest, payment: Payment<Answer>, signal: AbortSignal) {
    const name = `${request.provider}/${request.model}`;
    const price = await this.#priceOf(name, request);
    const settle = await this.#reserve(name, request, price, signal);
    try {
      const answer = await payment.send();
      const usage = payment.usageOf(answer);
      const spentUsd = price && usage ? costUsd(price, usage) : null;
      settle(spentUsd);
      return { answer, costUsd: spentUsd };
    } catch (error) {
      settle(payment.mayBeBilled(error) ? null : 0);
      throw error;
    }
  }

  assertLeft(): void {
    this.#spending.assertLeft();
  }

  add(usd: number): void {
    this.#spending.add(usd);
  }

  /** Gives the function that ends the reservation with what the request cost. */
  async #reserve(name: string, request: PaidRequest, price: Price | null, signal: AbortSignal) {
    const spending = this.#spending;
    if (spending.limitUsd === undefined) return (usd: number | null): void => spending.add(usd ?? 0);
    if (!price) throw noPrice(name);
    const { inputBytes, maxOutputTokens: outputTokens = outputTokensUnderLimit } = request;
    const mostUsd = mostCostUsd(price, mostTokensOfBytes(inputBytes), outputTokens);
    const reservation = await spending.reserve(mostUsd, name, signal);
    return (usd: number | null): void => spending.settle(reservation, usd);
  }

  #priceOf(name: string, { provider, model }: PaidRequest): Promise<Price | null> {
    const wanted = { name, model, priceName: provider, baseUrl: undefined };
    const price = this.#prices.get(name) ?? findPrice(wanted, this.#config.prices);
    this.#prices.set(name, price);
    return price;
  }
}
