import type { Loss } from '../../../domain/loss.ts';
import type { Message } from '../../../domain/message.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { reportedUsage } from '../../wire/reported-usage.ts';
import { countIn, errorTextIn } from '../../wire/values.ts';
import type { ConnectorResponse } from '../connector.ts';
import { documentOf, type EndpointAnswer, failAsWebPage, isWebPage, readSafely } from '../wire/answer.ts';
import { detectMessages, newMessages, withCalls } from '../wire/detect-messages.ts';
import { messageCalls } from '../wire/messages.ts';
import type { StreamForm, StreamReader } from '../wire/streamed-answer.ts';
import type { HttpConnectorConfig } from './http-connector.ts';
import { PieceReader } from './piece-reader.ts';
import type { ResponseMapping } from './response-mapping.ts';

type ReadAnswer = Pick<ConnectorResponse, 'messages' | 'usage' | 'gaps' | 'costUsd' | 'model' | 'threadId'>;

const shapeHint =
  'Set `response.text` in the config of the connector to the JSONPath of the text, such as `$.reply.text`.';

/** Plain text that is an object of JSON may be a message in a shape that is not known. */
const unknownShape: Loss = {
  channels: ['answers', 'tool-calls'],
  reason: 'the answer is JSON of an unknown shape; `response.text: $` makes all of it the answer',
};

/** Reads one answer of an endpoint: by the mapping where there is one, else by its shape. */
export class AnswerReader {
  readonly #mapping: ResponseMapping;
  readonly #stream: HttpConnectorConfig['stream'];
  readonly #sent: readonly Message[];
  #pieces: PieceReader | undefined;

  constructor(mapping: ResponseMapping, stream: HttpConnectorConfig['stream'], sent: readonly Message[]) {
    this.#mapping = mapping;
    this.#stream = stream;
    this.#sent = sent;
  }

  /** The reader of a streamed answer of this type; undefined for one that is read whole. */
  streamFor(contentType: string): { readonly form: StreamForm; readonly reader: StreamReader } | undefined {
    const form = formOf(this.#stream, contentType);
    if (form === undefined) return undefined;
    this.#pieces = new PieceReader(this.#mapping, form);
    return { form, reader: this.#pieces };
  }

  read(answer: EndpointAnswer): ReadAnswer {
    return readSafely(answer, () => {
      if (isWebPage(answer)) return failAsWebPage(answer);
      return this.#pieces ? this.#readPieces(answer, this.#pieces) : this.#readWhole(answer);
    });
  }

  #readPieces(answer: EndpointAnswer, pieces: PieceReader): ReadAnswer {
    if (pieces.problem !== undefined) {
      const hint = "Look into the agent's log to see why it failed.";
      return answer.fail('TARGET_CRASHED', `failed during its answer: ${pieces.problem}`, hint);
    }
    const messages = pieces.messages(this.#sent);
    if (messages) return this.#withDetails(messages, pieces.details, pieces.gaps);
    if (answer.body.trim() === '')
      return answer.fail('TARGET_OUTPUT_NOT_JSON', 'answered with an empty body.', shapeHint);
    return answer.fail('TARGET_NO_MESSAGE', `answered with a stream without text: ${answer.excerpt()}`, shapeHint);
  }

  #readWhole(answer: EndpointAnswer): ReadAnswer {
    if (this.#mapping.isWholeText && answer.body.trim() !== '') {
      return this.#withDetails([{ role: 'assistant', content: answer.body }], parseJson(answer.body), []);
    }
    const document = this.#documentOf(answer);
    const gaps: Loss[] = [];
    const messages = this.#mappedMessages(document, gaps) ?? this.#detectedMessages(document, gaps);
    if (messages) return this.#withDetails(messages, document, gaps);
    const error = errorTextIn(document) === undefined ? '' : ' but an error';
    // In a conversation that cannot be read, the words of the user are no answer.
    const isConversation = isRecord(document) && 'messages' in document;
    if (this.#isText(answer) && error === '' && !isConversation) {
      return {
        messages: [{ role: 'assistant', content: answer.body }],
        gaps: isRecord(document) ? [unknownShape] : [],
      };
    }
    const problem = `answered with JSON that contains no message${error}: ${answer.excerpt()}`;
    return answer.fail('TARGET_NO_MESSAGE', problem, shapeHint);
  }

  /** Plain text is an answer, unless a mapping or the content type requires JSON. */
  #documentOf(answer: EndpointAnswer): unknown {
    if (answer.body.trim() === '' || !this.#isText(answer)) return documentOf(answer);
    return parseJson(answer.body);
  }

  #isText({ contentType }: EndpointAnswer): boolean {
    return !/json/i.test(contentType) && !this.#mapping.has('text') && !this.#mapping.has('messages');
  }

  #mappedMessages(document: unknown, gaps: Loss[]): readonly Message[] | undefined {
    const mapping = this.#mapping;
    const listed = mapping.select('messages', document);
    if (Array.isArray(listed)) return newMessages(listed, this.#sent, gaps);
    if (isRecord(listed)) return newMessages([listed], this.#sent, gaps);
    const text = mapping.text('text', document);
    const calls = messageCalls(mapping.select('toolCalls', document), gaps, 'toolCalls');
    if (text === undefined && calls.length === 0) return undefined;
    const detected = text === undefined ? this.#detectedMessages(document, gaps)?.at(-1)?.content : text;
    const message: Message = { role: 'assistant', content: detected ?? null };
    return [calls.length > 0 ? { ...message, tool_calls: calls } : withCalls(message, document, gaps)];
  }

  /** A mapping that finds nothing is not replaced by a guess. */
  #detectedMessages(document: unknown, gaps: Loss[]): readonly Message[] | undefined {
    if (this.#mapping.has('text') || this.#mapping.has('messages')) return undefined;
    return detectMessages(document, this.#sent, gaps);
  }

  #withDetails(messages: readonly Message[], document: unknown, gaps: readonly Loss[]): ReadAnswer {
    const mapping = this.#mapping;
    const fields = isRecord(document) ? document : {};
    const costUsd = countIn(mapping.has('costUsd') ? mapping.select('costUsd', document) : fields.costUsd);
    const model = mapping.has('model') ? mapping.text('model', document) : fields.model;
    const threadId = mapping.has('threadId')
      ? mapping.text('threadId', document)
      : (fields.threadId ?? fields.thread_id);
    // An endpoint that answers in OpenAI's format reports calls in it too.
    const reportsCalls = mapping.has('toolCalls') || Array.isArray(fields.choices) || Array.isArray(fields.tool_calls);
    const figures = mapping.usage(document) ?? reportedUsage(document);
    return {
      messages,
      gaps: [...gaps, ...(figures.gaps ?? [])],
      ...(reportsCalls && { reports: ['tool-calls'] as const }),
      usage: figures.usage,
      ...(costUsd !== undefined && { costUsd }),
      ...(typeof model === 'string' && { model }),
      ...(typeof threadId === 'string' && { threadId }),
    };
  }
}

function formOf(stream: HttpConnectorConfig['stream'], contentType: string): StreamForm | undefined {
  if (/^text\/event-stream\b/i.test(contentType)) return 'sse';
  if (/^application\/(x-ndjson|jsonl|x-jsonlines)\b/i.test(contentType)) return 'ndjson';
  // An endpoint may answer a request for a stream with one document, above all when something is wrong.
  if (stream === 'none' || (/\bjson\b/i.test(contentType) && stream !== 'ndjson')) return undefined;
  return stream;
}
