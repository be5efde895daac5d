import { AssayError } from '../../domain/errors.ts';
import type { Account, PaidRequest, Payment } from './account.ts';
import { type Model, ModelFailure, type ModelRequest } from './model.ts';
import type { ModelsConfig } from './models-config.ts';
import { costUsd, findPrice, mostCostUsd, type Price } from './prices.ts';
import { type Reservation, ReservedAmount } from './reserved-amount.ts';

/** Under a spending limit every reply needs a maximum length; the default for requests that set none. */
const outputTokensUnderLimit = 8_192;
/** Tokens that providers add by themselves: roles, preambles of tools, wrapped schemas. */
const overheadTokens = 1_000;

/** The cost of calls, and under a limit also the possible cost of those in flight. */
export class Spending extends ReservedAmount {
  get limitUsd(): number | undefined {
    return this.limit;
  }

  get spentUsd(): number {
    return this.used;
  }

  /** Infinite where there is no limit. */
  get leftUsd(): number {
    return this.left;
  }

  /** Refuses work that costs something when there is nothing left for it. */
  assertLeft(): void {
    if (this.left <= 0)
      throw new AssayError('MODEL_BUDGET_REACHED', `The spending limit of ${dollars(this.limit ?? 0)} is reached.`);
  }

  /** Counts a cost, and returns whether something is left. */
  spend(usd: number): boolean {
    this.add(usd);
    return this.left > 0;
  }

  /** Sets money aside; rejects where the limit does not leave enough. */
  async reserve(mostUsd: number, name: string, signal: AbortSignal): Promise<Reservation> {
    const reservation = await this.setAside(mostUsd, signal);
    if (reservation) return reservation;
    const limitUsd = this.limit ?? 0;
    const message = `A call of ${name} may cost ${dollars(mostUsd)}; ${dollars(limitUsd - this.left)} of ${dollars(limitUsd)} are spent.`;
    throw new AssayError('MODEL_BUDGET_REACHED', message);
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
