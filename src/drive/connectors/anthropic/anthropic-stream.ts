import { isRecord } from '../../../shared/json.ts';
import type { DocumentReader } from '../wire/open-provider-connector.ts';
import { parseJson } from '../wire/parse-json.ts';
import { errorTextIn } from '../wire/require-success.ts';

type Fields = Record<string, unknown>;

interface GrowingBlock {
  readonly start: Fields;
  text: string;
  inputText: string;
}

/** Puts the events of Anthropic's stream together. */
export class AnthropicStream implements DocumentReader {
  problem: string | undefined;
  #message: Fields = {};
  #usage: Fields = {};
  #isComplete = false;
  readonly #blocks = new Map<unknown, GrowingBlock>();

  add(data: string): boolean {
    const event = parseJson(data);
    if (event === undefined) this.problem ??= 'an event is not JSON';
    if (!isRecord(event)) return false;
    if (event.type === 'message_start' && isRecord(event.message)) this.#start(event.message);
    else if (event.type === 'content_block_start' && isRecord(event.content_block))
      this.#blocks.set(event.index, { start: event.content_block, text: '', inputText: '' });
    else if (event.type === 'content_block_delta' && isRecord(event.delta)) return this.#grow(event.index, event.delta);
    else if (event.type === 'message_delta' && isRecord(event.usage)) Object.assign(this.#usage, event.usage);
    else if (event.type === 'message_stop') this.#isComplete = true;
    else if (event.type === 'error') this.problem ??= errorTextIn(event) ?? 'it sent an error';
    return false;
  }

  document(): unknown {
    if (!this.#isComplete) return undefined;
    const content = [...this.#blocks.values()].map(({ start, text, inputText }) => {
      if (start.type === 'text') return { type: 'text', text: `${asText(start.text)}${text}` };
      // What is no JSON is kept as text.
      return inputText === '' ? start : { ...start, input: parseJson(inputText) ?? inputText };
    });
    return { ...this.#message, content, usage: this.#usage };
  }

  #start(message: Fields): void {
    this.#message = message;
    if (isRecord(message.usage)) this.#usage = { ...message.usage };
  }

  #grow(index: unknown, delta: Fields): boolean {
    const block = this.#blocks.get(index);
    if (!block) return false;
    block.text += asText(delta.text);
    block.inputText += asText(delta.partial_json);
    return asText(delta.text) !== '';
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
