import { expandVariables, unsetVariables } from '../../shared/variables.ts';
import { defaultProviderConfig, type ModelsConfig, type ProviderConfig } from './models-config.ts';
import { type Environment, type Provider, settingsNames } from './provider.ts';
import { providers } from './providers/index.ts';
import { openaiCompatible } from './providers/openai.ts';
import { findProvider } from './resolve-model.ts';

/** Why a provider cannot be used. */
export interface MissingSetting {
  readonly what: string;
  readonly hint: string;
}

/** Everything about a provider that its config and the environment say. */
export interface ProviderSettings {
  readonly provider: Provider;
  readonly name: string;
  readonly config: ProviderConfig;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  /** Whether there is a key, or something that stands for one. */
  readonly hasKey: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when nothing is missing. */
  readonly missing: MissingSetting | undefined;
  /** Values that must not be shown or stored. */
  readonly secrets: readonly string[];
}

/** Who answers with these settings: two servers with one model name are two models. Without credentials. */
export function serverOf({ provider, name, baseUrl }: ProviderSettings): string {
  const url = baseUrl === undefined ? '' : new URL(baseUrl);
  if (url !== '') [url.username, url.password] = ['', ''];
  return `${provider.name} ${name} ${url}`;
}

const secretHeader = /auth|key|token|secret|cookie|password/i;

/** Reads the settings of a provider; the config goes before the environment. */
export function providerSettings(
  provider: Provider,
  name: string,
  { providers: written }: ModelsConfig,
  env: Environment,
): ProviderSettings {
  const config = [name, ...settingsNames(provider)].map((key) => written[key]).find(Boolean) ?? defaultProviderConfig;
  const apiKey =
    settingOf(config.apiKey, env) ?? provider.keyVariables.map((variable) => env[variable]?.trim()).find(Boolean);
  const givenUrl = settingOf(config.baseUrl, env) ?? (provider.baseUrlVariable && env[provider.baseUrlVariable]);
  const surroundings = provider.environment?.read(env);
  const usualUrl = provider.defaultBaseUrl ?? surroundings?.baseUrl;
  const baseUrl = givenUrl ? usableUrl(provider.completeBaseUrl(givenUrl, env)) : usualUrl;
  const hasKey = apiKey !== undefined || surroundings?.hasCredentials === true;
  const headers = expandVariables(config.headers, env);
  const secretHeaders = Object.entries(headers).filter(([header]) => secretHeader.test(header));
  const password = baseUrl ? new URL(baseUrl).password : '';
  return {
    provider,
    name,
    config,
    baseUrl,
    apiKey,
    hasKey,
    headers,
    missing: missingSetting(provider, name, config, { apiKey, hasKey, baseUrl }, env),
    secrets: [apiKey ?? '', password, ...(surroundings?.secrets ?? []), ...secretHeaders.map(([, value]) => value)],
  };
}

/** The settings of every known provider and of those in the config. */
export function allProviderSettings(config: ModelsConfig, env: Environment): ProviderSettings[] {
  const ownNames = Object.keys(config.providers).filter((name) => findProvider(name, config) === openaiCompatible);
  return [
    ...providers.map((provider) => providerSettings(provider, provider.name, config, env)),
    ...ownNames.map((name) => providerSettings(openaiCompatible, name, config, env)),
  ];
}

/** The value of a setting; one that mentions a variable that is not set has none. */
function settingOf(text: string | undefined, env: Environment): string | undefined {
  if (text === undefined || unsetVariables(text, env).length > 0) return undefined;
  return expandVariables(text, env).trim() || undefined;
}

function usableUrl(url: string): string | undefined {
  return /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
}

function missingSetting(
  provider: Provider,
  name: string,
  config: ProviderConfig,
  found: Pick<ProviderSettings, 'apiKey' | 'hasKey' | 'baseUrl'>,
  env: Environment,
): MissingSetting | undefined {
  const neededTexts = [config.baseUrl, ...Object.values(config.headers), found.apiKey ? undefined : config.apiKey];
  const [unset] = neededTexts.flatMap((text) => unsetVariables(text ?? '', env));
  if (unset !== undefined)
    return { what: `its settings name the variable ${unset}`, hint: `Set the environment variable ${unset}.` };
  if (!found.baseUrl) return missingUrl(provider, name, config, env);
  if (found.apiKey && !/^[\x21-\x7e]+$/.test(found.apiKey))
    return { what: 'its API key contains characters that cannot be sent', hint: `Set a valid key of ${name}.` };
  if (found.hasKey || !provider.needsKey) return undefined;
  const variables = [provider.keyVariables[0], provider.environment?.credentialVariables[0]].filter(Boolean);
  return {
    what: `no API key (${variables.join(' or ')})`,
    hint: `Set the environment variable ${variables.join(' or ')}, or \`models.providers.${name}.apiKey\` in the config.`,
  };
}

function missingUrl(provider: Provider, name: string, config: ProviderConfig, env: Environment): MissingSetting {
  const { baseUrlVariable: variable = '' } = provider;
  const written = config.baseUrl ?? env[variable];
  const inConfig = `\`models.providers.${name}.baseUrl\` in the config to an http or https URL`;
  if (written) {
    const where = config.baseUrl ? `\`models.providers.${name}.baseUrl\`` : variable;
    return {
      what: `its base URL ${JSON.stringify(written)} is not an http or https URL`,
      hint: `Correct ${where}: write the whole URL, such as http://127.0.0.1:8080/v1.`,
    };
  }
  const [address] = provider.environment?.addressVariables ?? [];
  const hint = address === undefined ? `Set ${inConfig}.` : `Set the environment variable ${address}, or ${inConfig}.`;
  return { what: `no base URL (${address ?? `models.providers.${name}.baseUrl`})`, hint };
}
