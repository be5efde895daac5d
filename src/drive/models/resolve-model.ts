import { AssayError } from '../../domain/errors.ts';
import { nearestName, suggestion } from '../../shared/suggest.ts';
import type { ModelsConfig } from './models-config.ts';
import type { Provider } from './provider.ts';
import { providers } from './providers/index.ts';
import { openaiCompatible } from './providers/openai.ts';

/** A model with its provider. */
export interface ResolvedModel {
  /** `provider/model`. */
  readonly name: string;
  readonly provider: Provider;
  /** The provider as the user named it; the name of its settings. */
  readonly providerName: string;
  /** The model as the provider knows it; may contain slashes. */
  readonly model: string;
}

/** Finds out what a name stands for: `provider/model`, or a bare name that begins like a well-known one. */
export function resolveModel(name: string, config: ModelsConfig): ResolvedModel {
  const slash = name.indexOf('/');
  if (slash < 0) return resolveBareName(name, config);
  const [providerName, model] = [name.slice(0, slash), name.slice(slash + 1)];
  const provider = findProvider(providerName, config);
  if (provider && model !== '') return resolved(provider, providerName, model);
  if (provider) throw new AssayError('MODEL_UNKNOWN', `"${name}" names a provider but no model.`);
  throw new AssayError('MODEL_UNKNOWN', `There is no provider "${providerName}" for the model "${name}".`, {
    hint: `${suggestion(providerName, providerNames(config))} ${ownServer(providerName)}`,
  });
}

/** Most model servers that people start themselves have the API of OpenAI. */
function ownServer(name: string): string {
  return `For a server with the API of OpenAI, set \`models.providers.${name}.baseUrl\` in the config.`;
}

/** The names that a model may begin with: the known providers and those of the config. */
function providerNames(config: ModelsConfig): string[] {
  const registered = providers.flatMap(({ name, aliases }) => [name, ...aliases]);
  return [...new Set([...registered, ...Object.keys(config.providers)])];
}

/** The provider of a name; any other name in the config is an OpenAI-compatible server. */
export function findProvider(name: string, config: ModelsConfig): Provider | undefined {
  const registered = providers.find((provider) => provider.name === name || provider.aliases.includes(name));
  return registered ?? (Object.hasOwn(config.providers, name) ? openaiCompatible : undefined);
}

function resolveBareName(name: string, config: ModelsConfig): ResolvedModel {
  const provider = providers.find(({ modelPrefixes }) => modelPrefixes.some((prefix) => name.startsWith(prefix)));
  if (provider) return resolved(provider, provider.name, name);
  const [before = '', ...after] = name.split(':');
  if (after.length > 0 && findProvider(before, config)) {
    const hint = `Write a slash: \`${before}/${after.join(':')}\`.`;
    throw new AssayError('MODEL_UNKNOWN', `No provider is known for the model "${name}".`, { hint });
  }
  const fullNames = providers.flatMap((each) => each.knownModels.map((model) => `${each.name}/${model}`));
  const bareNames = fullNames.map((full) => full.slice(full.indexOf('/') + 1));
  const near = nearestName(name, [...bareNames, ...providerNames(config)]);
  throw new AssayError('MODEL_UNKNOWN', `No provider is known for the model "${name}".`, {
    hint: near
      ? `Did you mean \`${fullNames.find((full) => full.endsWith(`/${near}`)) ?? `${near}/…`}\`?`
      : `Name it as provider/model; known providers: ${providerNames(config).join(', ')}.`,
  });
}

function resolved(provider: Provider, writtenName: string, model: string): ResolvedModel {
  const providerName = provider === openaiCompatible ? writtenName : provider.name;
  return { name: `${providerName}/${model}`, provider, providerName, model };
}
