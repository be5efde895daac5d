import { isRecord } from '../../../shared/json.ts';
import { expandSetting } from '../../targets/call/expand-settings.ts';
import type { TargetContext } from '../../targets/target.ts';
import type { Connector, ConnectorSettings } from '../connector.ts';
import { ConversationMemory } from '../wire/conversation-memory.ts';
import { Endpoint } from '../wire/endpoint.ts';
import { fillPlaceholders, fillText, placeholderValues } from '../wire/placeholders.ts';
import { endpointUrl, mergedHeaders, requireHttpUrl } from '../wire/url-and-headers.ts';
import { AnswerReader } from './answer-reader.ts';
import type { HttpConnectorConfig } from './http-connector.ts';
import { compileMapping } from './response-mapping.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const urlHint = 'Set `baseUrl` of the connector to an http or https URL.';

/** Opens a connection to an agent behind an HTTP endpoint. */
export async function openHttp(
  config: HttpConnectorConfig,
  settings: ConnectorSettings,
  context: Pick<TargetContext, 'env' | 'paces'>,
): Promise<Connector> {
  const { env } = context;
  const { method, stream } = config;
  const baseUrl = requireHttpUrl('http', settings.baseUrl && expandSetting('base URL', settings.baseUrl, env), urlHint);
  const path = expandSetting('path', config.path, env);
  const fixedUrl = path.includes('{{') ? undefined : endpointUrl(baseUrl, path);
  const bodyTemplate = config.body === undefined ? { messages: '{{messages}}' } : config.body;
  const mapping = await compileMapping(config.response);
  const threads = new ConversationMemory<string>();
  const accepted = { accept: 'application/json, text/event-stream, application/x-ndjson, text/plain' };
  const sent = method === 'GET' ? accepted : { 'content-type': 'application/json', ...accepted };
  const { password, searchParams } = endpointUrl(baseUrl, path);
  const secrets = [password, ...searchParams.values(), ...variableValues([settings.baseUrl ?? '', config.path], env)];
  const endpoint = new Endpoint(context, mergedHeaders(sent, settings.headers), secrets);
  return {
    async invoke(request) {
      const values = placeholderValues(request, threads.get(request.conversationId));
      const place = fixedUrl ?? endpointUrl(baseUrl, fillText(path, values, encodeURIComponent));
      const filled = fillPlaceholders(bodyTemplate, values);
      const body = JSON.stringify(filled) ?? 'null';
      const reader = new AnswerReader(mapping, stream, request.messages);
      const answer = await endpoint.send({
        method,
        ...(method === 'GET' ? { url: withQuery(place, filled), body: undefined, query: body } : { url: place, body }),
        headers: request.headers,
        signal: request.signal,
        clock: request.clock,
        readerFor: (contentType) => reader.streamFor(contentType),
      });
      const read = reader.read(answer);
      if (read.threadId !== undefined) threads.set(request.conversationId, read.threadId);
      const { latencyMs, timeToFirstTokenMs, raw } = answer;
      return { ...read, latencyMs, timeToFirstTokenMs, raw };
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

/** Fields that are not text go into the query as JSON. */
function withQuery(url: URL, body: unknown): URL {
  const complete = new URL(url);
  for (const [name, value] of Object.entries(isRecord(body) ? body : {})) {
    if (value === undefined) continue;
    complete.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return complete;
}

/** The values of the variables in the texts, which may be secret. */
function variableValues(texts: readonly string[], env: Environment): string[] {
  const names = texts.flatMap((text) => [...text.matchAll(/\$\{([^}]+)\}/g)].map((match) => match[1] ?? ''));
  return names.map((name) => env[name] ?? '');
}
