import type { Loss } from '../../../domain/loss.ts';
import { isRecord } from '../../../shared/json.ts';
import type { JsonObject, WireReply } from '../codec.ts';
import { readBlocks } from '../content-blocks.ts';
import { DocumentStream, replyOf } from '../reply.ts';
import { usageIn } from '../reported-usage.ts';
import { recordIn, someText, textIn } from '../values.ts';

/** Reads a reply of Converse; undefined for any other document. */
export function readConverseReply(document: unknown): WireReply | undefined {
  if (!isRecord(document)) return undefined;
  const { content } = recordIn(recordIn(document.output).message);
  if (!Array.isArray(content)) return undefined;
  const unplaced: Loss[] = [];
  return replyOf({
    parts: readBlocks(content, 'output.message.content', unplaced),
    stopReason: someText(document.stopReason),
    usage: usageIn(document),
    unplaced,
  });
}

interface GrowingBlock {
  readonly start: JsonObject;
  text: string;
  thinking: string;
  inputText: string;
}

/** Assembles the events of ConverseStream, each as the JSON object that its frame holds under its name. */
export class ConverseStream extends DocumentStream {
  #hasBegun = false;
  #stopReason: unknown;
  #usage: unknown;
  readonly #blocks = new Map<unknown, GrowingBlock>();

  constructor() {
    super(readConverseReply);
  }

  get isEnded(): boolean {
    return this.#stopReason !== undefined;
  }

  addEvent(event: JsonObject): boolean {
    const { messageStart, contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } = event;
    if (isRecord(contentBlockDelta)) return this.#grow(contentBlockDelta);
    if (isRecord(contentBlockStart))
      this.#blockAt(contentBlockStart.contentBlockIndex, recordIn(contentBlockStart.start));
    else if (isRecord(messageStop)) this.#stopReason = messageStop.stopReason;
    else if (isRecord(metadata)) this.#usage = metadata.usage;
    else if (isRecord(messageStart)) this.#hasBegun = true;
    else if (contentBlockStop === undefined) {
      const [name = 'nothing'] = Object.keys(event);
      if (/Exception$/.test(name)) return this.fail(recordIn(event[name]));
      this.unknownEvent(`an event of the unknown kind ${name}`);
    }
    return false;
  }

  protected document(): JsonObject | undefined {
    if (!this.#hasBegun) return undefined;
    const content = [...this.#blocks.values()].map(({ start, text, thinking, inputText }) => {
      if (isRecord(start.toolUse))
        return { toolUse: { ...start.toolUse, input: inputText === '' ? {} : this.argumentsIn(inputText) } };
      return thinking === '' ? { text } : { reasoningContent: { reasoningText: { text: thinking } } };
    });
    return { output: { message: { role: 'assistant', content } }, stopReason: this.#stopReason, usage: this.#usage };
  }

  /** A block of text begins with its first piece. */
  #blockAt(index: unknown, start: JsonObject = {}): GrowingBlock {
    const before = this.#blocks.get(index);
    if (before) return before;
    if (index !== this.#blocks.size)
      this.unknownEvent(`a block has the number ${String(index)} and should have ${this.#blocks.size}`);
    const block = { start, text: '', thinking: '', inputText: '' };
    this.#blocks.set(index, block);
    return block;
  }

  #grow({ contentBlockIndex, delta }: JsonObject): boolean {
    const { text, toolUse, reasoningContent } = recordIn(delta);
    const block = this.#blockAt(contentBlockIndex);
    if (typeof text === 'string') block.text += text;
    else if (isRecord(toolUse)) block.inputText += textIn(toolUse.input);
    else if (isRecord(reasoningContent)) block.thinking += textIn(reasoningContent.text);
    else this.unknownEvent('a piece of an unknown kind');
    return typeof text === 'string' && text !== '';
  }
}
