import type { Message } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import { ChatStream } from '../wire/chat-stream.ts';
import { parseJson } from '../wire/parse-json.ts';
import { readToolCalls } from '../wire/read-tool-calls.ts';
import { errorTextIn } from '../wire/require-success.ts';
import type { StreamForm, StreamReader } from '../wire/streamed-answer.ts';
import { newMessages } from './detect-messages.ts';
import type { ResponseMapping } from './response-mapping.ts';
import { textOfPiece } from './text-of-piece.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Names of events that only keep the connection alive, or say that all has been said. */
const silentEvent = /^(ping|heartbeat|keep-?alive|done|end|close|complete|completed|finish|metadata)$/i;

/** Puts an answer together from its pieces, by the mapping where there is one, else by the shape of each. */
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

  constructor(mapping: ResponseMapping, form: StreamForm) {
    this.#mapping = mapping;
    this.#form = form;
  }

  /** Why the answer cannot be used; undefined when all is well. */
  get problem(): string | undefined {
    return this.#problem ?? this.#chat.problem;
  }

  add(piece: string, eventType: string): boolean {
    if (this.#form === 'text') return this.#say(piece);
    if (piece.trim() === '[DONE]') return this.#chat.add(piece);
    const value = parseJson(piece);
    if (isRecord(value)) return this.#addRecord(value, eventType);
    if (eventType === 'error') return this.#failWith(piece);
    if (this.#mapping.has('text') || this.#form === 'ndjson') {
      if (value === undefined) return this.#failWith('a piece of it is not JSON');
      return this.#say(this.#mapping.has('text') ? this.#mapping.text('text', value) : piecesText(value));
    }
    // Servers that send bare words send those that look like JSON in the same way.
    return silentEvent.test(eventType) ? false : this.#say(typeof value === 'string' ? value : piece);
  }

  /** The answer; undefined when the pieces hold none. */
  messages(asked: readonly Message[]): readonly Message[] | undefined {
    if (this.#list) return newMessages(this.#list, asked);
    if (this.#isChat) {
      const { choices } = (this.#chat.document() ?? {}) as { choices?: readonly { readonly message: Message }[] };
      return choices?.map(({ message }) => message);
    }
    if (this.#text === undefined && this.#calls.length === 0) return undefined;
    const content = this.#text ?? null;
    return [{ role: 'assistant', content, ...(this.#calls.length > 0 && { tool_calls: this.#calls }) }];
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
    this.#calls.push(...(readToolCalls(calls) ?? []));
    const list = mapping.has('messages') ? mapping.select('messages', fields) : fields.messages;
    if (Array.isArray(list)) this.#list = list;
    if (mapping.has('text')) return this.#say(mapping.text('text', fields));
    if (!Array.isArray(fields.choices)) return this.#say(textOfPiece(fields, eventType));
    this.#isChat = true;
    return this.#chat.addChunk(fields);
  }

  #say(text: string | undefined): boolean {
    if (text === undefined) return false;
    this.#text = (this.#text ?? '') + text;
    return text !== '';
  }

  #failWith(problem: string): false {
    this.#problem ??= problem;
    return false;
  }
}

function piecesText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
