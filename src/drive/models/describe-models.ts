import type { ModelsConfig } from './models-config.ts';
import { findPrice, priceTableVersion } from './prices.ts';
import { shownUrl } from './provider.ts';
import { allProviderSettings, type ProviderSettings, providerSettings } from './provider-settings.ts';
import { resolveModel } from './resolve-model.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A provider as it may be shown: whether there is a key, and never the key. */
export interface ProviderDescription {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly baseUrl: string | null;
  readonly hasKey: boolean;
  /** The missing setting; null when nothing is missing. */
  readonly missing: string | null;
}

/** A model with its provider, limits and price. */
export interface ModelDescription {
  readonly name: string;
  readonly provider: ProviderDescription;
  /** The model as the provider knows it. */
  readonly model: string;
  readonly timeoutSecs: number;
  readonly concurrency: number;
  readonly requestsPerMinute: number | null;
  /** USD for a million tokens; null when no price is known. */
  readonly price: { readonly inputPer1M: number; readonly outputPer1M: number; readonly source: string } | null;
}

/** The providers that a project knows. */
export function describeProviders(config: ModelsConfig, env: Environment): ProviderDescription[] {
  return allProviderSettings(config, env).map(describeProvider);
}

/** A few models of the known providers. */
export function describeKnownModels(config: ModelsConfig, env: Environment): Promise<ModelDescription[]> {
  const names = allProviderSettings(config, env)
    .filter(({ provider }) => provider.modelPrefixes.length > 0)
    .flatMap(({ name, provider }) => provider.knownModels.map((model) => `${name}/${model}`));
  return Promise.all(names.map((name) => describeModel(name, config, env)));
}

/** Describes one model; rejects with MODEL_UNKNOWN. */
export async function describeModel(name: string, config: ModelsConfig, env: Environment): Promise<ModelDescription> {
  const resolved = resolveModel(name, config);
  const { provider, providerName, model } = resolved;
  const settings = providerSettings(provider, providerName, config, env);
  const { baseUrl } = settings;
  const price = await findPrice({ name: resolved.name, model, priceName: provider.priceName, baseUrl }, config.prices);
  return {
    name: resolved.name,
    provider: describeProvider(settings),
    model,
    timeoutSecs: settings.config.timeoutSecs,
    concurrency: settings.config.concurrency,
    requestsPerMinute: settings.config.requestsPerMinute ?? null,
    price: price && {
      inputPer1M: price.input.base,
      outputPer1M: price.output.base,
      source: price.source === 'config' ? 'config' : priceTableVersion,
    },
  };
}

function describeProvider({ provider, name, baseUrl, hasKey, missing }: ProviderSettings): ProviderDescription {
  return {
    name,
    aliases: provider.aliases,
    summary: provider.summary,
    baseUrl: baseUrl === undefined ? null : shownUrl(baseUrl),
    hasKey,
    missing: missing?.hint ?? null,
  };
}
