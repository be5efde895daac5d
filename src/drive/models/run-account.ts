import type { Account, PaidRequest, Payment } from './account.ts';
import type { ModelsConfig } from './models-config.ts';
import { costUsd, findPrice, type Price } from './prices.ts';
import { mostInputTokens, noPrice, outputTokensUnderLimit, type Spending } from './spending.ts';

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
    const mostUsd = costUsd(price, { inputTokens: mostInputTokens(inputBytes), outputTokens });
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
