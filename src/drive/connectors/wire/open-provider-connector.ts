import type { Account } from '../../models/account.ts';
import type { ModelUsage } from '../../models/model.ts';
import type { TargetContext } from '../../targets/target.ts';
import type { Connector, ConnectorRequest, ConnectorResponse } from '../connector.ts';
import { mayHaveCost, outputLimitIn } from './billing.ts';
import type { EndpointAnswer } from './endpoint.ts';
import type { ProviderEndpoint } from './provider-endpoint.ts';
import { documentOf, reading } from './read-document.ts';
import { errorTextIn } from './require-success.ts';
import type { StreamReader } from './streamed-answer.ts';

/** What an answer holds, whatever language it was in. */
export type ReadAnswer = Pick<ConnectorResponse, 'messages' | 'tokenUsage' | 'model' | 'threadId'>;

/** Puts the events of a stream together to the answer that there would have been without it. */
export interface DocumentReader extends StreamReader {
  /** An event that could not be read, or an error that the agent told of; undefined when all is well. */
  readonly problem: string | undefined;
  /** The answer; undefined when the stream ended before it did. */
  document(): unknown;
}

/** The language of a provider. */
export interface ProviderLanguage {
  bodyOf(request: ConnectorRequest, model: string): Readonly<Record<string, unknown>>;
  /** The field of a request that bounds its answer. */
  readonly outputLimit: string;
  /** Undefined when answers are not asked for in pieces. */
  createReader(): DocumentReader | undefined;
  /** Undefined for a document that holds no answer. */
  read(document: unknown, request: ConnectorRequest): ReadAnswer | undefined;
}

/** A connector that asks an API of a provider in its own language. */
export function openProviderConnector(
  provider: ProviderEndpoint,
  language: ProviderLanguage,
  accounts: TargetContext['account'],
): Connector {
  const { endpoint, modelOf } = provider;
  return {
    isPaidThroughAccount: true,
    async invoke(request) {
      const account = await accounts?.open();
      const model = modelOf(request);
      const body = boundedBody(language.bodyOf(request, model), language, account);
      const send = (): Promise<ConnectorResponse> => ask(provider, language, request, JSON.stringify(body));
      if (!account) return send();
      const paid = {
        provider: provider.provider,
        model: model.replace(`${provider.provider}/`, ''),
        // A provider that keeps the conversation reads more than it is sent.
        inputBytes: bytesOf(body) + bytesOf(request.messages),
        maxOutputTokens: outputLimitIn(body),
      };
      const { answer, costUsd } = await account.pay(
        paid,
        { send, usageOf: usageOfResponse, mayBeBilled: mayHaveCost },
        request.signal,
      );
      return costUsd === null ? answer : { ...answer, costUsd };
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

async function ask(
  { endpoint, url }: ProviderEndpoint,
  language: ProviderLanguage,
  request: ConnectorRequest,
  body: string,
): Promise<ConnectorResponse> {
  const { headers, signal } = request;
  const reader = language.createReader();
  const answer = await endpoint.ask({
    url,
    method: 'POST',
    body,
    headers,
    signal,
    ...(reader && { readerFor: (type) => (isEventStream(type) ? { form: 'sse', reader } : undefined) }),
  });
  const document = reader && answer.isStreamed ? streamedDocument(answer, reader) : documentOf(answer);
  const read = reading(answer, () => language.read(document, request)) ?? noAnswer(answer, document);
  const { latencyMs, timeToFirstTokenMs, raw } = answer;
  return { ...read, latencyMs, timeToFirstTokenMs, raw };
}

/** Under a limit an answer must have an end, so a request that sets none gets one. */
function boundedBody(
  body: Readonly<Record<string, unknown>>,
  { outputLimit }: ProviderLanguage,
  account: Account | undefined,
): Readonly<Record<string, unknown>> {
  const limit = account?.outputTokensUnderLimit;
  return limit === undefined || outputLimitIn(body) !== undefined ? body : { ...body, [outputLimit]: limit };
}

function usageOfResponse({ tokenUsage }: ConnectorResponse): ModelUsage | undefined {
  return tokenUsage && { inputTokens: tokenUsage.input, outputTokens: tokenUsage.output };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function isEventStream(contentType: string): boolean {
  return /^text\/event-stream\b/i.test(contentType);
}

function streamedDocument(answer: EndpointAnswer, reader: DocumentReader): unknown {
  if (reader.problem !== undefined) {
    const hint = 'The agent failed within its answer; its own log should say why.';
    return answer.fail('TARGET_CRASHED', `failed within its answer: ${reader.problem}`, hint);
  }
  const document = reader.document();
  if (document !== undefined) return document;
  const hint = 'The stream ended before the answer did; the log of the endpoint should say why.';
  return answer.fail('TARGET_CRASHED', 'ended its answer in the middle.', hint);
}

function noAnswer(answer: EndpointAnswer, document: unknown): never {
  const said = errorTextIn(document);
  if (said !== undefined) {
    return answer.fail('TARGET_CRASHED', `answered with an error: ${said}`, 'The agent itself says what is wrong.');
  }
  const hint = 'Check that the endpoint speaks the API that the type of the connector names.';
  return answer.fail('TARGET_OUTPUT_NOT_JSON', `answered with JSON that holds no message: ${answer.excerpt()}`, hint);
}
