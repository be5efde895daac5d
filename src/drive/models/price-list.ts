import type { ModelUsage } from './model.ts';
import type { ModelsConfig } from './models-config.ts';
import { costUsd, loadPriceTable, type Price, tablePrice, writtenPrice } from './prices.ts';
import { resolveModel } from './resolve-model.ts';

type PriceTable = Awaited<ReturnType<typeof loadPriceTable>>;

/** USD for a request to a model; undefined where no price is known. */
type CostOf = (model: string, usage: ModelUsage) => number | undefined;

/** All prices at hand, so that what an agent uses can be priced while it works. */
export async function openPriceList(config: ModelsConfig): Promise<CostOf> {
  const table = await loadPriceTable();
  const prices = new Map<string, Price | null>();
  return (model, usage) => {
    const price = prices.get(model) ?? priceOf(model, config, table);
    prices.set(model, price);
    return price ? costUsd(price, usage) : undefined;
  };
}

/** A model that no provider is known for has no price but a written one, which is no fault of who uses it. */
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
