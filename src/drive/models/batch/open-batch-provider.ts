import { HttpClient } from '../../../shared/http/http-client.ts';
import type { ModelsConfig } from '../models-config.ts';
import { noBatches } from '../open-models.ts';
import { type ProviderSettings, providerSettings } from '../provider-settings.ts';
import { findProvider } from '../resolve-model.ts';
import type { BatchConnection } from './batch-api.ts';
import type { BatchProvider } from './settle-batches.ts';

const bodyLimitBytes = 512 * 1024 * 1024;
const timeoutMs = 300_000;

/** The batches of a provider, by the settings of the project. */
export async function openBatchProvider(
  name: string,
  config: ModelsConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<BatchProvider> {
  const provider = findProvider(name, config);
  const api = await provider?.batches?.open();
  if (!provider || !api) throw noBatches(name);
  return { api, connection: connectionOf(providerSettings(provider, name, config, env), env) };
}

function connectionOf(
  { provider, baseUrl = '', apiKey = '', headers }: ProviderSettings,
  env: Readonly<Record<string, string | undefined>>,
): BatchConnection {
  const own =
    provider.name === 'anthropic' ? { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' } : bearer(apiKey);
  return {
    async send({ method, path, headers: further = {}, body }) {
      using client = new HttpClient({ env });
      return await client.send({
        url: new URL(`${baseUrl}${path}`),
        method,
        headers: { ...own, ...headers, ...further },
        body,
        bodyLimitBytes,
        signal: AbortSignal.timeout(timeoutMs),
      });
    },
  };
}

function bearer(apiKey: string): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` };
}
