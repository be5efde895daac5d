import { HttpClient } from '../../../shared/http/http-client.ts';
import { parseJson } from '../../../shared/json.ts';
import { redactionOf } from '../../../shared/redaction/redaction.ts';
import { recordIn } from '../../wire/values.ts';
import type { ModelsConfig } from '../models-config.ts';
import { noBatches } from '../open-models.ts';
import { AnsweredError, classifyFailure } from '../provider-errors.ts';
import { type ProviderSettings, providerSettings } from '../provider-settings.ts';
import { findProvider } from '../resolve-model.ts';
import { type BatchConnection, BatchRefusal } from './batch-api.ts';
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
  { provider, baseUrl = '', apiKey = '', headers, secrets }: ProviderSettings,
  env: Readonly<Record<string, string | undefined>>,
): BatchConnection {
  const own =
    provider.name === 'anthropic'
      ? { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
      : { authorization: `Bearer ${apiKey}` };
  const connection: BatchConnection = {
    async text({ method, path, headers: further = {}, body }) {
      using client = new HttpClient({ env });
      const response = await client.send({
        url: new URL(`${baseUrl}${path}`),
        method,
        headers: { ...own, ...headers, ...further },
        body,
        bodyLimitBytes,
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.status < 300) return response.body;
      const refused = new AnsweredError(response.status, response.body, response.headers);
      const { code, message } = classifyFailure(refused, {
        name: provider.name,
        nowMs: Date.now(),
        redact: redactionOf(secrets),
      });
      throw new BatchRefusal(code, `The provider refused ${method} ${path} for a batch: ${message}`);
    },
    document: async (request) => recordIn(parseJson(await connection.text(request))),
  };
  return connection;
}
