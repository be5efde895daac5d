import type { ModelsConfig } from '../drive/models/models-config.ts';
import { type ResolvedModel, resolveModel } from '../drive/models/resolve-model.ts';
import { variablesIn } from '../shared/variables.ts';

/**
 * The variables that must be set to ask a model; `A|B` where one of the two is enough. A model that nobody knows needs
 * none: whoever asks it is told.
 */
export function modelKeys(
  name: string,
  config: ModelsConfig,
  apiKeys: Readonly<Record<string, string>> = {},
): readonly string[] {
  const model = resolved(name, config);
  if (!model) return [];
  const { provider, providerName } = model;
  const settings = [providerName, ...provider.settingsNames].map((key) => config.providers[key]).find(Boolean);
  const around = [...variablesIn(settings?.baseUrl), ...variablesIn(settings?.headers)];
  const written = apiKeys[providerName] ?? settings?.apiKey;
  const mentioned = variablesIn(written);
  if (written !== undefined && mentioned.length === 0) return around;
  const [only, ...others] = mentioned;
  if (others.length > 0) return [...around, ...mentioned];
  // A key that the settings name but that is not set leaves it to the usual variables.
  const choices = [
    ...new Set([...(only === undefined ? [] : [only]), ...(provider.needsKey ? provider.keyVariables : [])]),
  ];
  return choices.length === 0 ? around : [...around, choices.join('|')];
}

/** What a name stands for; undefined for one that stands for nothing. */
export function resolved(name: string, config: ModelsConfig): ResolvedModel | undefined {
  try {
    return resolveModel(name, config);
  } catch {
    return undefined;
  }
}
