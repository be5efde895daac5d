import type { Loss } from '../../../domain/loss.ts';
import { isRecord } from '../../../shared/json.ts';
import type { JsonObject, WireReply } from '../codec.ts';
import { readBlocks } from '../content-blocks.ts';
import { DocumentStream, replyOf } from '../reply.ts';
import { usageIn } from '../reported-usage.ts';
import { recordIn, someText, textIn } from '../values.ts';

/** Reads a message; undefined for any other document. */
export function readMessageReply(document: unknown): WireReply | undefined {
  if (!isRecord(document) || !Array.isArray(document.content)) return undefined;
  const unplaced: Loss[] = [];
  return replyOf({
    id: document.id,
    model: document.model,
    parts: readBlocks(document.content, 'content', unplaced),
    stopReason: someText(document.stop_reason),
    usage: usageIn(document),
    unplaced,
  });
}

interface GrowingBlock {
  readonly start: JsonObject;
  text: string;
  inputText: string;
}

/** Pieces of a block that hold words, thoughts or arguments. */
const pieceTypes: ReadonlySet<unknown> = new Set(['text_delta', 'thinking_delta', 'input_json_delta']);

/** Pieces of a block that hold neither words nor arguments. */
const silentDeltas: ReadonlySet<unknown> = new Set(['signature_delta', 'citations_delta', 'compaction_delta']);

export function writtenInMessage({ content_block: block, delta }: JsonObject): string {
  const { text, thinking, partial_json: input } = recordIn(delta);
  return `${isRecord(block) ? JSON.stringify(block) : ''}${textIn(text)}${textIn(thinking)}${textIn(input)}`;
}

/** Assembles the events of a stream. */
export class MessageStream extends DocumentStream {
  isEnded = false;
  #message: JsonObject | undefined;
  #usage: JsonObject = {};
  #stop: JsonObject = {};
  readonly #blocks = new Map<unknown, GrowingBlock>();

  constructor() {
    super(readMessageReply);
  }

  addEvent(event: JsonObject): boolean {
    const { type, index, message, content_block: block, delta } = event;
    if (type === 'message_start' && isRecord(message)) return this.#begin(message);
    if (type === 'content_block_start' && isRecord(block)) return this.#beginBlock(index, block);
    if (type === 'content_block_delta' && isRecord(delta)) return this.#grow(index, delta);
    if (type === 'message_delta') return this.#takeEnd(event);
    if (type === 'error') return this.fail(event);
    if (type === 'message_stop') this.isEnded = true;
    else if (type !== 'ping' && type !== 'content_block_stop')
      this.unknownEvent(`an event of the unknown type ${String(type)}`);
    return false;
  }

  protected document(): JsonObject | undefined {
    if (!this.#message) return undefined;
    const content = [...this.#blocks.values()].map(({ start, text, inputText }) => {
      if (start.type === 'text') return { ...start, text: textIn(start.text) + text };
      if (start.type === 'thinking') return { ...start, thinking: textIn(start.thinking) + text };
      if (text !== '') return { ...start, text };
      return inputText === '' ? start : { ...start, input: this.argumentsIn(inputText) };
    });
    return { ...this.#message, ...this.#stop, content, usage: this.#usage };
  }

  /** The output that is counted at the beginning is not the whole. */
  #begin(message: JsonObject): false {
    this.#message = message;
    return this.#takeUsage({ ...recordIn(message.usage), output_tokens: null });
  }

  /** Blocks are numbered, so one that is missing shows. */
  #beginBlock(index: unknown, block: JsonObject): false {
    if (this.#blocks.has(index) || index !== this.#blocks.size) {
      this.unknownEvent(`a block has the number ${String(index)} and should have ${this.#blocks.size}`);
    }
    this.#blocks.set(this.#blocks.has(index) ? Symbol('block') : index, { start: block, text: '', inputText: '' });
    return false;
  }

  #grow(index: unknown, delta: JsonObject): boolean {
    const block = this.#blocks.get(index);
    if (!block) return this.unknownEvent(`a piece belongs to no block (${String(index)})`);
    const piece = delta.text ?? delta.thinking ?? delta.partial_json;
    const isKnown = typeof piece === 'string' && pieceTypes.has(delta.type);
    if (isKnown && delta.type === 'input_json_delta') block.inputText += piece;
    else if (isKnown) block.text += piece;
    else if (!silentDeltas.has(delta.type))
      this.unknownEvent(`a piece of an unknown or broken type (${String(delta.type)})`);
    return delta.type === 'text_delta' && textIn(delta.text) !== '';
  }

  #takeEnd({ delta, usage }: JsonObject): false {
    if (isRecord(delta)) this.#stop = { ...this.#stop, ...delta };
    return this.#takeUsage(usage);
  }

  /** The counts are given at the beginning and again, more complete, towards the end. */
  #takeUsage(usage: unknown): false {
    const counts = isRecord(usage) ? Object.entries(usage).filter(([, count]) => count !== null) : [];
    this.#usage = { ...this.#usage, ...Object.fromEntries(counts) };
    return false;
  }
}
