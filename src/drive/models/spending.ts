import { AssayError, asAssayError } from '../../domain/errors.ts';
import type { Account, PaidRequest, Payment } from './account.ts';
import { type Model, ModelFailure, type ModelRequest } from './model.ts';
import type { ModelsConfig } from './models-config.ts';
import { costUsd, findPrice, mostCostUsd, type Price } from './prices.ts';
import { type Reservation, ReservedAmount } from './reserved-amount.ts';

/** Under a spending limit every reply needs a maximum length; the default for requests that set none. */
const outputTokensUnderLimit = 8_192;
/** Tokens that providers add by themselves: roles, preambles of tools, wrapped schemas. */
const overheadTokens = 1_000;

/** Keeps what is sent to paid services, so a process that dies does not take it along. */
export interface SpendingLedger {
  /** Notes a request before it is sent; gives what notes its cost, null where that will never be known. */
  begin(mostUsd: number): (usd: number | null | 'unsent') => void;
}

/** The cost of calls, and under a limit also the possible cost of those in flight. */
export class Spending extends ReservedAmount {
  readonly #ledger: SpendingLedger | undefined;

  constructor(limit: number | undefined, ledger?: SpendingLedger) {
    super(limit);
    this.#ledger = ledger;
  }

  /** Notes a request in the ledger before it is sent; gives what notes its cost. */
  note(mostUsd: number): ReturnType<SpendingLedger['begin']> {
    return this.#ledger?.begin(mostUsd) ?? (() => undefined);
  }

  /** Sends a request that can cost so much, and notes both in the ledger. */
  async noted<Answer extends object>(
    mostUsd: number,
    send: () => Promise<Answer>,
    costOf: (answer: Answer) => number | null,
  ): Promise<Answer> {
    const note = this.note(mostUsd);
    try {
      const answer = await send();
      note(costOf(answer));
      return answer;
    } catch (error) {
      note(costOfFailure(error));
      throw error;
    }
  }

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

/** A call that no provider failed was interrupted after it was sent, or refused before. */
function costOfFailure(error: unknown): number | null | 'unsent' {
  if (error instanceof ModelFailure) {
    const { isUnreachable, mayBeBilled } = error.traits;
    return isUnreachable ? 'unsent' : mayBeBilled ? null : 0;
  }
  const { code } = asAssayError(error);
  return code === 'INTERRUPTED' || code === 'MODEL_TIMEOUT' ? null : 'unsent';
}

/** Counts what calls cost, and makes none that could pass the limit. */
export function withSpending(inner: Model, spending: Spending, price: () => Promise<Price | null>): Model {
  const counted: Model['generate'] = async (request, signal, unanswered) => {
    const reply = await spending.noted(
      0,
      () => inner.generate(request, signal, unanswered),
      ({ costUsd: usd }) => usd,
    );
    spending.add(reply.costUsd ?? 0);
    return reply;
  };
  const limited: Model['generate'] = async (request, signal, unanswered) => {
    const found = await price();
    if (!found) throw noPrice(inner.name);
    const bounded = { ...request, maxOutputTokens: request.maxOutputTokens ?? outputTokensUnderLimit };
    const mostUsd = mostUsdOf(found, bounded);
    const reservation = await spending.reserve(mostUsd, inner.name, signal);
    try {
      const reply = await spending.noted(
        mostUsd,
        () => inner.generate(bounded, signal, unanswered),
        ({ costUsd: usd }) => usd,
      );
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
    const { mostUsd, settle } = await this.#reserve(name, request, price, signal);
    const note = this.#spending.note(mostUsd);
    try {
      const answer = await payment.send();
      const usage = payment.usageOf(answer);
      const spentUsd = price && usage ? costUsd(price, usage) : null;
      note(spentUsd);
      settle(spentUsd);
      return { answer, costUsd: spentUsd };
    } catch (error) {
      const spentUsd = payment.mayBeBilled(error) ? null : 0;
      note(spentUsd);
      settle(spentUsd);
      throw error;
    }
  }

  assertLeft(): void {
    this.#spending.assertLeft();
  }

  add(usd: number): void {
    this.#spending.add(usd);
  }

  /** The most that a request can cost, and the function that ends its reservation with what it did cost. */
  async #reserve(name: string, request: PaidRequest, price: Price | null, signal: AbortSignal) {
    const spending = this.#spending;
    if (spending.limitUsd === undefined)
      return { mostUsd: 0, settle: (usd: number | null): void => spending.add(usd ?? 0) };
    if (!price) throw noPrice(name);
    const { inputBytes, maxOutputTokens: outputTokens = outputTokensUnderLimit } = request;
    const mostUsd = mostCostUsd(price, mostTokensOfBytes(inputBytes), outputTokens);
    const reservation = await spending.reserve(mostUsd, name, signal);
    return { mostUsd, settle: (usd: number | null): void => spending.settle(reservation, usd) };
  }

  #priceOf(name: string, { provider, model }: PaidRequest): Promise<Price | null> {
    const wanted = { name, model, priceName: provider, baseUrl: undefined };
    const price = this.#prices.get(name) ?? findPrice(wanted, this.#config.prices);
    this.#prices.set(name, price);
    return price;
  }
}
