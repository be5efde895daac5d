import type { Message } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import type { ConnectorResponse } from '../connector.ts';
import type { EndpointAnswer } from '../wire/endpoint.ts';
import { parseJson } from '../wire/parse-json.ts';
import { documentOf, failAsWebPage, isWebPage, reading } from '../wire/read-document.ts';
import { readToolCalls } from '../wire/read-tool-calls.ts';
import { errorTextIn } from '../wire/require-success.ts';
import type { StreamForm, StreamReader } from '../wire/streamed-answer.ts';
import { countIn, usageIn } from '../wire/token-usage.ts';
import { detectMessages, newMessages, withCalls } from './detect-messages.ts';
import type { HttpConnectorConfig } from './http-connector.ts';
import { PieceReader } from './piece-reader.ts';
import type { ResponseMapping } from './response-mapping.ts';

type Read = Pick<ConnectorResponse, 'messages' | 'tokenUsage' | 'costUsd' | 'model' | 'threadId'>;

const shapeHint = 'Tell where the text is with `response.text` in the config of the connector, such as `$.reply.text`.';

/** Reads one answer of an endpoint: by the mapping where there is one, else by its shape. */
export class AnswerReader {
  readonly #mapping: ResponseMapping;
  readonly #stream: HttpConnectorConfig['stream'];
  readonly #asked: readonly Message[];
  #pieces: PieceReader | undefined;

  constructor(mapping: ResponseMapping, stream: HttpConnectorConfig['stream'], asked: readonly Message[]) {
    this.#mapping = mapping;
    this.#stream = stream;
    this.#asked = asked;
  }

  /** Who takes the pieces of an answer of this type; undefined for one that is read whole. */
  streamFor(contentType: string): { readonly form: StreamForm; readonly reader: StreamReader } | undefined {
    const form = formOf(this.#stream, contentType);
    if (form === undefined) return undefined;
    this.#pieces = new PieceReader(this.#mapping, form);
    return { form, reader: this.#pieces };
  }

  read(answer: EndpointAnswer): Read {
    return reading(answer, () => {
      if (isWebPage(answer)) return failAsWebPage(answer);
      return this.#pieces ? this.#readPieces(answer, this.#pieces) : this.#readWhole(answer);
    });
  }

  #readPieces(answer: EndpointAnswer, pieces: PieceReader): Read {
    if (pieces.problem !== undefined) {
      const hint = 'The agent failed within its answer; its own log should say why.';
      return answer.fail('TARGET_CRASHED', `failed within its answer: ${pieces.problem}`, hint);
    }
    const messages = pieces.messages(this.#asked);
    if (messages) return { messages, ...this.#detailsOf(pieces.details) };
    const problem = answer.body.trim() === '' ? 'an empty body.' : `a stream that holds no text: ${answer.excerpt()}`;
    return answer.fail('TARGET_OUTPUT_NOT_JSON', `answered with ${problem}`, shapeHint);
  }

  #readWhole(answer: EndpointAnswer): Read {
    const document = this.#documentOf(answer);
    const messages = this.#mappedMessages(document) ?? this.#detectedMessages(document);
    if (messages) return { messages, ...this.#detailsOf(document) };
    if (this.#isText(answer)) return { messages: [{ role: 'assistant', content: answer.body }] };
    const said = errorTextIn(document);
    const problem = said === undefined ? '' : ' but an error';
    const problems = `answered with JSON that holds no message${problem}: ${answer.excerpt()}`;
    return answer.fail('TARGET_OUTPUT_NOT_JSON', problems, shapeHint);
  }

  /** Plain text is an answer, unless a mapping or the type of the content says that it is to be JSON. */
  #documentOf(answer: EndpointAnswer): unknown {
    if (answer.body.trim() === '' || !this.#isText(answer)) return documentOf(answer);
    return parseJson(answer.body);
  }

  #isText({ contentType }: EndpointAnswer): boolean {
    return !/json/i.test(contentType) && !this.#mapping.has('text') && !this.#mapping.has('messages');
  }

  #mappedMessages(document: unknown): readonly Message[] | undefined {
    const mapping = this.#mapping;
    const listed = mapping.select('messages', document);
    if (Array.isArray(listed)) return newMessages(listed, this.#asked);
    if (isRecord(listed)) return newMessages([listed], this.#asked);
    const text = mapping.text('text', document);
    const calls = readToolCalls(mapping.select('toolCalls', document));
    if (text === undefined && calls === undefined) return undefined;
    const detected = text === undefined ? this.#detectedMessages(document)?.at(-1)?.content : text;
    const message: Message = { role: 'assistant', content: detected ?? null };
    return [calls ? { ...message, tool_calls: calls } : withCalls(message, document)];
  }

  /** A mapping that finds nothing is not replaced by a guess. */
  #detectedMessages(document: unknown): readonly Message[] | undefined {
    if (this.#mapping.has('text') || this.#mapping.has('messages')) return undefined;
    return detectMessages(document, this.#asked);
  }

  #detailsOf(document: unknown): Omit<Read, 'messages'> {
    const mapping = this.#mapping;
    const fields = isRecord(document) ? document : {};
    const costUsd = countIn(mapping.has('costUsd') ? mapping.select('costUsd', document) : fields.costUsd);
    const model = mapping.has('model') ? mapping.text('model', document) : fields.model;
    const threadId = mapping.has('threadId')
      ? mapping.text('threadId', document)
      : (fields.threadId ?? fields.thread_id);
    // Whoever answers as OpenAI does tells calls as OpenAI does.
    const tellsCalls = mapping.has('toolCalls') || Array.isArray(fields.choices) || Array.isArray(fields.tool_calls);
    return {
      ...(tellsCalls && { reports: ['tool-calls'] as const }),
      tokenUsage: mapping.usage(document) ?? usageIn(document),
      ...(costUsd !== undefined && { costUsd }),
      ...(typeof model === 'string' && { model }),
      ...(typeof threadId === 'string' && { threadId }),
    };
  }
}

function formOf(stream: HttpConnectorConfig['stream'], contentType: string): StreamForm | undefined {
  if (/^text\/event-stream\b/i.test(contentType)) return 'sse';
  if (/^application\/(x-ndjson|jsonl|x-jsonlines)\b/i.test(contentType)) return 'ndjson';
  // An endpoint that was asked for pieces may still answer in one, above all when something is wrong.
  if (stream === 'none' || (/\bjson\b/i.test(contentType) && stream !== 'ndjson')) return undefined;
  return stream;
}
