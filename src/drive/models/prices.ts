import type { KnownUsage, Usage } from '../../domain/usage.ts';
import { isRecord } from '../../shared/json.ts';
import type { ModelsConfig, PriceConfig } from './models-config.ts';
import { resolveModel } from './resolve-model.ts';

/** The table that prices come from when the config has none. */
export const priceTableVersion = '@pydantic/genai-prices 0.1.8';

/** USD for a million tokens; of the whole call from some number of input tokens on, where there are steps. */
interface Rate {
  readonly base: number;
  readonly steps: readonly { readonly start: number; readonly price: number }[];
}

/** Price of a model. */
export interface Price {
  readonly source: 'config' | 'table';
  readonly input: Rate;
  readonly cachedInput: Rate;
  /** For input that is written to a cache. */
  readonly cacheWrite: Rate;
  readonly output: Rate;
}

/** The model to look up. */
export interface PricedModel {
  /** `provider/model`. */
  readonly name: string;
  readonly model: string;
  /** The provider's name in the table; undefined to find it by the base URL. */
  readonly priceName: string | undefined;
  readonly baseUrl: string | undefined;
}

/** The price of a model: from the config by full or bare name, else from the table; null when none is known. */
export async function findPrice(wanted: PricedModel, prices: ModelsConfig['prices']): Promise<Price | null> {
  return writtenPrice(wanted, prices) ?? tablePrice(wanted, await loadPriceTable());
}

type PriceTable = typeof import('@pydantic/genai-prices');

/** Loaded when it is needed: it is large. */
function loadPriceTable(): Promise<PriceTable> {
  return import('@pydantic/genai-prices');
}

/** The price that the config gives. */
function writtenPrice(
  { name, model }: Pick<PricedModel, 'name' | 'model'>,
  prices: ModelsConfig['prices'],
): Price | undefined {
  const configured = [name, model].find((each) => Object.hasOwn(prices, each));
  const written = configured === undefined ? undefined : prices[configured];
  return written && configuredPrice(written);
}

/** USD for the tokens of a call; null where its input or its output is not known. */
export function costUsd(price: Price, usage: KnownUsage): number;
export function costUsd(price: Price, usage: Usage): number | null;
export function costUsd(price: Price, usage: Usage): number | null {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteInputTokens = 0 } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return null;
  const at = (rate: Rate): number => rate.steps.findLast(({ start }) => inputTokens > start)?.price ?? rate.base;
  const freshTokens = Math.max(0, inputTokens - cachedInputTokens - cacheWriteInputTokens);
  const cost =
    freshTokens * at(price.input) +
    cachedInputTokens * at(price.cachedInput) +
    cacheWriteInputTokens * at(price.cacheWrite) +
    outputTokens * at(price.output);
  return cost / 1e6;
}

/** The most that a call can cost: all of its input may be written to a cache, for which some providers charge more. */
export function mostCostUsd(price: Price, inputTokens: number, outputTokens: number): number {
  const fresh = { inputTokens, outputTokens };
  return Math.max(costUsd(price, fresh), costUsd(price, { ...fresh, cacheWriteInputTokens: inputTokens }));
}

function configuredPrice(written: PriceConfig): Price {
  const { inputPer1M, outputPer1M, cachedInputPer1M = inputPer1M, cacheWritePer1M = inputPer1M } = written;
  const rate = (base: number): Rate => ({ base, steps: [] });
  return {
    source: 'config',
    input: rate(inputPer1M),
    cachedInput: rate(cachedInputPer1M),
    cacheWrite: rate(cacheWritePer1M),
    output: rate(outputPer1M),
  };
}

/** The price that the table gives; null when it has none. */
function tablePrice(
  { model, priceName, baseUrl }: Omit<PricedModel, 'name'>,
  { calcPrice, findProvider }: PriceTable,
): Price | null {
  const provider = findProvider(
    priceName === undefined ? { providerApiUrl: baseUrl ?? '' } : { providerId: priceName },
  );
  const found = provider && calcPrice({ input_tokens: 1, output_tokens: 1 }, model, { provider });
  if (!found) return null;
  const { input_mtok, output_mtok, cache_read_mtok, cache_write_mtok } = found.model_price;
  const input = readRate(input_mtok);
  // Models that make embeddings write nothing, and their prices have no output.
  const output = readRate(output_mtok) ?? (/embed/i.test(model) ? { base: 0, steps: [] } : undefined);
  if (!input || !output) return null;
  return {
    source: 'table',
    input,
    output,
    cachedInput: readRate(cache_read_mtok) ?? input,
    cacheWrite: readRate(cache_write_mtok) ?? input,
  };
}

function readRate(written: unknown): Rate | undefined {
  if (typeof written === 'number') return { base: written, steps: [] };
  if (!isRecord(written) || typeof written.base !== 'number' || !Array.isArray(written.tiers)) return undefined;
  const steps = (written.tiers as Rate['steps']).toSorted((a, b) => a.start - b.start);
  return { base: written.base, steps };
}

/** USD for a request to a model; undefined where no price is known. */
type CostOf = (model: string, usage: Usage) => number | undefined;

/** All prices at hand, to price the usage of an agent while it works. */
export async function openPriceList(config: ModelsConfig): Promise<CostOf> {
  const table = await loadPriceTable();
  const prices = new Map<string, Price | null>();
  return (model, usage) => {
    const price = prices.get(model) ?? priceOf(model, config, table);
    prices.set(model, price);
    return (price && costUsd(price, usage)) ?? undefined;
  };
}

/** A model without a known provider has a price only when the config gives one. */
function priceOf(name: string, config: ModelsConfig, table: PriceTable): Price | null {
  const written = writtenPrice({ name, model: name.slice(name.indexOf('/') + 1) }, config.prices);
  if (written) return written;
  try {
    const { model, provider } = resolveModel(name, config);
    return tablePrice({ model, priceName: provider.priceName, baseUrl: undefined }, table);
  } catch {
    return null;
  }
}

/** A price at a share of the usual one. */
export function reducedPrice(price: Price, share: number): Price {
  const reduced = ({ base, steps }: Rate): Rate => ({
    base: base * share,
    steps: steps.map((step) => ({ ...step, price: step.price * share })),
  });
  const { source, input, cachedInput, cacheWrite, output } = price;
  return {
    source,
    input: reduced(input),
    cachedInput: reduced(cachedInput),
    cacheWrite: reduced(cacheWrite),
    output: reduced(output),
  };
}
