import { AssayError } from '../../../domain/errors.ts';
import { expandSetting } from '../../targets/call/expand-settings.ts';
import type { ConnectorRequest, ConnectorSettings } from '../connector.ts';
import { Endpoint } from './endpoint.ts';
import { endpointUrl, requireHttpUrl } from './endpoint-url.ts';
import { mergedHeaders } from './headers.ts';
import type { ProviderConfig } from './provider-config.ts';

/** Where an API of a provider is found and how it is told who asks. */
export interface ProviderApi {
  /** Of the connector. */
  readonly type: string;
  /** The prefix of its models where several providers are named together. */
  readonly provider: string;
  readonly defaultBaseUrl: string;
  readonly baseUrlVariable: string;
  readonly keyVariable: string;
  readonly path: string;
  /** Headers of which any tells who asks, so that no key is needed. */
  readonly authHeaders: readonly string[];
  keyHeaders(key: string): Readonly<Record<string, string>>;
  /** Adds the version to a base URL that has none. */
  completeBaseUrl(baseUrl: string): string;
}

/** An API of a provider that can be asked. */
export interface ProviderEndpoint {
  readonly endpoint: Endpoint;
  readonly url: URL;
  /** As the table of prices names it. */
  readonly provider: string;
  /** True when it is the provider itself and not somebody who speaks its language. */
  readonly isProvider: boolean;
  modelOf(request: Pick<ConnectorRequest, 'model'>): string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens an API with the base URL and the key of the settings or of the environment. */
export function openProvider(
  api: ProviderApi,
  config: Pick<ProviderConfig, 'model'>,
  settings: ConnectorSettings,
  env: Environment,
): ProviderEndpoint {
  const given = settings.baseUrl ?? (env[api.baseUrlVariable]?.trim() || undefined);
  const hint = `Set \`baseUrl\` of the connector or ${api.baseUrlVariable} to an http or https URL, or leave both out.`;
  const expanded = expandSetting(`base URL of the ${api.type} connector`, given ?? api.defaultBaseUrl, env);
  const baseUrl = requireHttpUrl(api.type, expanded, hint);
  const url = endpointUrl(api.completeBaseUrl(baseUrl.replace(/\/+$/, '')), api.path);
  const isProvider = url.host === new URL(api.defaultBaseUrl).host;
  return {
    endpoint: new Endpoint(env, headersFor(api, settings, env, isProvider), [url.password]),
    url,
    provider: api.provider,
    isProvider,
    modelOf(request) {
      const model = request.model ?? config.model;
      if (model !== undefined) return isProvider ? withoutPrefix(model, api.provider) : model;
      throw new AssayError('TARGET_NOT_LOADED', `The ${api.type} connector is not told which model to ask.`, {
        hint: 'Set `model` in the config of the connector, or name models for the scenario.',
      });
    },
  };
}

function headersFor(
  api: ProviderApi,
  settings: ConnectorSettings,
  env: Environment,
  isProvider: boolean,
): Record<string, string> {
  const given = mergedHeaders(settings.headers);
  const isKnown = api.authHeaders.some((name) => given[name] !== undefined);
  const key = isKnown ? undefined : env[api.keyVariable]?.trim() || undefined;
  if (isProvider && !isKnown && key === undefined) {
    throw new AssayError('TARGET_NOT_LOADED', `The ${api.type} connector needs ${api.keyVariable}, which is not set.`, {
      hint: `Set ${api.keyVariable} in the environment, or name the key in the headers of the connector.`,
    });
  }
  const language = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return mergedHeaders(language, key === undefined ? {} : api.keyHeaders(key), given);
}

function withoutPrefix(model: string, provider: string): string {
  return model.startsWith(`${provider}/`) ? model.slice(provider.length + 1) : model;
}
