import type { Connector, ConnectorRequest, ConnectorResponse } from '../connector.ts';
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
  bodyOf(request: ConnectorRequest, model: string): unknown;
  /** Undefined when answers are not asked for in pieces. */
  createReader(): DocumentReader | undefined;
  /** Undefined for a document that holds no answer. */
  read(document: unknown, request: ConnectorRequest): ReadAnswer | undefined;
}

/** A connector that asks an API of a provider in its own language. */
export function openProviderConnector(
  { endpoint, url, modelOf }: ProviderEndpoint,
  language: ProviderLanguage,
): Connector {
  return {
    async invoke(request) {
      const { headers, signal } = request;
      const body = JSON.stringify(language.bodyOf(request, modelOf(request)));
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
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
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
