import { describeKnownModels, describeModel } from '../../drive/models/describe-models.ts';
import { shownUrl } from '../../drive/models/provider.ts';
import { allProviderSettings } from '../../drive/models/provider-settings.ts';
import type { Project } from './project.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A provider as settings show it: of its key only where it comes from and whether it is there. */
export interface ProviderFacts {
  readonly name: string;
  readonly keyVariable: string | null;
  readonly hasKey: boolean;
  readonly baseUrl: string | null;
  readonly concurrency: number;
}

/** Price of a model, and its source. */
export interface PriceFacts {
  readonly model: string;
  readonly inputPerMillionUsd: number;
  readonly outputPerMillionUsd: number;
  readonly source: 'table' | 'config';
}

/** The providers that a project can ask. */
export function describeProjectProviders({ config }: Project, env: Env): ProviderFacts[] {
  return allProviderSettings(config.models, env).map(({ name, provider, hasKey, baseUrl, config: settings }) => ({
    name,
    keyVariable: variableIn(settings.apiKey) ?? provider.keyVariables[0] ?? null,
    hasKey,
    baseUrl: baseUrl === undefined ? null : shownUrl(baseUrl),
    concurrency: settings.concurrency,
  }));
}

/** Prices of the config and of well-known models. */
export async function describeProjectPrices({ config }: Project, env: Env): Promise<PriceFacts[]> {
  const written = Object.keys(config.models.prices);
  const described = await Promise.all(written.map((name) => describeModel(name, config.models, env).catch(() => name)));
  const own = described.flatMap((model) => (typeof model === 'string' ? unresolved(model, config) : priceOf(model)));
  const wellKnown = (await describeKnownModels(config.models, env)).flatMap(priceOf);
  return [...own, ...wellKnown.filter(({ model }) => !own.some((each) => each.model === model))];
}

type Described = Awaited<ReturnType<typeof describeModel>>;

function priceOf({ name, price }: Described): PriceFacts[] {
  if (!price) return [];
  const source = price.source === 'config' ? 'config' : 'table';
  return [{ model: name, inputPerMillionUsd: price.inputPer1M, outputPerMillionUsd: price.outputPer1M, source }];
}

/** A model that only an agent offers, without a provider. */
function unresolved(model: string, { models }: Project['config']): PriceFacts[] {
  const price = models.prices[model];
  if (!price) return [];
  return [{ model, inputPerMillionUsd: price.inputPer1M, outputPerMillionUsd: price.outputPer1M, source: 'config' }];
}

function variableIn(text: string | undefined): string | undefined {
  return /\$\{([^}]+)\}/.exec(text ?? '')?.[1];
}
