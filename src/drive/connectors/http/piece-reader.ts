import type { Loss } from '../../../domain/loss.ts';
import { type Message, messageText } from '../../../domain/message.ts';
import { isRecord, parseJson, resemblesJson } from '../../../shared/json.ts';
import { ChatStream } from '../../wire/openai-chat/reply.ts';
import { errorTextIn } from '../../wire/values.ts';
import { newMessages } from '../wire/detect-messages.ts';
import { contentOf, messageCalls } from '../wire/messages.ts';
import type { StreamForm, StreamReader } from '../wire/streamed-answer.ts';
import { messagesOf } from '../wire/wire-messages.ts';
import type { ResponseMapping } from './response-mapping.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Kinds of pieces that hold something else than the answer, or repeat it. */
const otherKinds =
  /done|end|stop|finish|complet|start|created|argument|input|reason|think|tool|status|usage|meta|ping|beat|alive/i;
const places = ['delta', 'content', 'text', 'token', 'textDelta', 'response', 'message', 'chunk', 'parts', 'reply'];

/** Fields of pieces that are about the answer and hold nothing of it. */
const silentFields: ReadonlySet<string> = new Set([
  ...[
    'type',
    'event',
    'id',
    'object',
    'created',
    'created_at',
    'timestamp',
    'index',
    'role',
    'name',
    'sequence_number',
  ],
  ...['model', 'threadId', 'thread_id', 'conversationId', 'conversation_id', 'session_id', 'run_id', 'message_id'],
  ...['usage', 'tokenUsage', 'tokensUsage', 'token_usage', 'tokens', 'usage_metadata', 'usageMetadata', 'costUsd'],
  ...['finish_reason', 'stop_reason', 'finishReason', 'done', 'metadata', 'tool_calls', 'toolCalls', 'messages'],
]);

/** Whether a piece without text is known to have none; any other may have held some in a place that is not known. */
function isSilent(fields: Fields, eventType: string): boolean {
  // The end of a stream is a known kind, whatever other keys it has.
  if (fields.done === true || otherKinds.test(kindOf(fields, eventType))) return true;
  const keys = Object.keys(fields);
  // A kind that is not among these is one of words.
  return keys.length > 0 && fields.type === undefined && keys.every((key) => silentFields.has(key));
}

function kindOf(fields: Fields, eventType: string): string {
  return typeof fields.type === 'string' ? fields.type : eventType;
}

/** The text that a piece of a stream adds, in the usual shapes; undefined for a piece that adds none. */
function textOfPiece(fields: Fields, eventType: string): string | undefined {
  if (otherKinds.test(kindOf(fields, eventType))) return undefined;
  for (const place of places) {
    const value = fields[place];
    if (typeof value === 'string') return value;
    const inside = isRecord(value) ? (value.content ?? value.parts ?? value.text) : value;
    if (typeof inside === 'string') return inside;
    if (Array.isArray(inside)) return messageText({ content: contentOf(inside) });
  }
  return undefined;
}

/** Names of events that only keep the connection alive or mark the end. */
const silentEvent = /^(ping|heartbeat|keep-?alive|done|end|close|complete|completed|finish|metadata)$/i;

/** Assembles an answer from its pieces, by the mapping where there is one, else by the shape of each. */
export class PieceReader implements StreamReader {
  readonly #mapping: ResponseMapping;
  readonly #form: StreamForm;
  readonly #chat = new ChatStream();
  #isChat = false;
  #text: string | undefined;
  #list: readonly unknown[] | undefined;
  #calls: NonNullable<Message['tool_calls']> = [];
  #problem: string | undefined;
  /** The fields of all pieces together, later ones over earlier ones: usage and the like come with any of them. */
  details: Fields = {};
  /** Parts of the pieces that could not be placed. */
  readonly gaps: Loss[] = [];

  constructor(mapping: ResponseMapping, form: StreamForm) {
    this.#mapping = mapping;
    this.#form = form;
  }

  /** Why the answer cannot be used; undefined when all is well. */
  get problem(): string | undefined {
    return this.#problem ?? this.#chat.problem;
  }

  add(piece: string, eventType: string): boolean {
    if (this.#form === 'text') return this.#append(piece);
    if (piece.trim() === '[DONE]') return this.#chat.add(piece);
    const value = parseJson(piece);
    if (isRecord(value)) return this.#addRecord(value, eventType);
    if (eventType === 'error') return this.#failWith(piece);
    if (this.#mapping.has('text') || this.#form === 'ndjson') {
      if (value === undefined) return this.#failWith('a piece of it is not JSON');
      return this.#append(
        this.#mapping.has('text') ? this.#mapping.text('text', value) : typeof value === 'string' ? value : undefined,
      );
    }
    if (value === undefined && resemblesJson(piece)) return this.#failWith('a piece of it is cut or not JSON');
    // Servers that send bare words send those that look like JSON in the same way.
    return silentEvent.test(eventType) ? false : this.#append(typeof value === 'string' ? value : piece);
  }

  /** The answer; undefined when the pieces hold none. */
  messages(sent: readonly Message[]): readonly Message[] | undefined {
    if (this.#list) return newMessages(this.#list, sent, this.gaps);
    if (this.#isChat) return this.#chatMessages();
    if (this.#text === undefined && this.#calls.length === 0) return undefined;
    const content = this.#text ?? null;
    return [{ role: 'assistant', content, ...(this.#calls.length > 0 && { tool_calls: this.#calls }) }];
  }

  #chatMessages(): readonly Message[] | undefined {
    const reply = this.#chat.isEnded ? this.#chat.reply() : undefined;
    this.gaps.push(...(reply?.unplaced ?? []).filter(({ place }) => place !== 'usage'));
    return reply && messagesOf(reply, '');
  }

  #addRecord(fields: Fields, eventType: string): boolean {
    const kept = Object.entries(fields).filter(([, value]) => value !== null);
    this.details = { ...this.details, ...Object.fromEntries(kept) };
    if (eventType === 'error' || fields.type === 'error' || fields.error)
      return this.#failWith(errorTextIn(fields) ?? JSON.stringify(fields));
    const mapping = this.#mapping;
    const calls = mapping.has('toolCalls')
      ? mapping.select('toolCalls', fields)
      : (fields.tool_calls ?? fields.toolCalls);
    this.#calls.push(...messageCalls(calls, this.gaps));
    const list = mapping.has('messages') ? mapping.select('messages', fields) : fields.messages;
    if (Array.isArray(list)) this.#list = list;
    if (mapping.has('text')) return this.#append(mapping.text('text', fields));
    this.#isChat ||= Array.isArray(fields.choices);
    if (!this.#isChat) return this.#appendPiece(fields, eventType);
    return this.#chat.addEvent(fields);
  }

  #appendPiece(fields: Fields, eventType: string): boolean {
    const text = textOfPiece(fields, eventType);
    if (text === undefined && !isSilent(fields, eventType)) {
      const reason = `a piece of the stream has no text in a known place (${Object.keys(fields).slice(0, 3).join(', ')})`;
      this.gaps.push({ channels: ['answers'], reason, place: 'stream' });
    }
    return this.#append(text);
  }

  #append(text: string | undefined): boolean {
    if (text === undefined) return false;
    this.#text = (this.#text ?? '') + text;
    return text !== '';
  }

  #failWith(problem: string): false {
    this.#problem ??= problem;
    return false;
  }
}
