import type { Loss } from '../../../domain/loss.ts';
import { isRecord } from '../../../shared/json.ts';
import type { JsonObject, WirePart, WireReply } from '../codec.ts';
import { readBlocks } from '../content-blocks.ts';
import { readCalls } from '../listed-calls.ts';
import { DocumentStream, replyOf } from '../reply.ts';
import { usageIn } from '../reported-usage.ts';
import { errorTextIn, recordIn, recordsIn, someText, textIn } from '../values.ts';

/** Reads a chat completion; undefined for any other document. */
export function readChatReply(document: unknown): WireReply | undefined {
  if (!isRecord(document) || !Array.isArray(document.choices)) return undefined;
  const unplaced: Loss[] = [];
  const choice = onlyChoice(document.choices, unplaced);
  const { message, text } = choice ?? {};
  if (!isRecord(message) && typeof text !== 'string') return undefined;
  const parts = isRecord(message) ? partsOf(message, unplaced) : readBlocks(text, 'choices[0].text', unplaced);
  const reply = replyOf({
    id: document.id,
    model: document.model,
    parts,
    stopReason: someText(choice?.finish_reason),
    usage: usageIn(document),
    error: document.error ? (errorTextIn(document) ?? 'the provider reported an error') : undefined,
    unplaced,
  });
  // A refusal is all that the model says, in another place than its answers.
  const isRefusal = isRecord(message) && someText(message.refusal) !== undefined;
  return isRefusal ? { ...reply, finish: 'content-filter' } : reply;
}

/** The first of several choices, in any order; others are other answers, and not a part of this one. */
function onlyChoice(choices: readonly unknown[], unplaced: Loss[]): JsonObject | undefined {
  const listed = choices.filter(isRecord);
  const firsts = listed.filter(({ index }) => index === 0);
  if (firsts.length > 1) {
    const reason = 'several answers claim to be the first';
    unplaced.push({ channels: ['answers', 'tool-calls'], reason, place: 'choices' });
  }
  return firsts[0] ?? listed[0];
}

function partsOf(message: JsonObject, unplaced: Loss[]): WirePart[] {
  const place = 'choices[0].message';
  const thinking = someText(message.reasoning_content, message.reasoning);
  const spoken = someText(message.content) ?? message.content ?? someText(recordIn(message.audio).transcript);
  const refusal = someText(message.refusal);
  const parts: WirePart[] = [
    ...(thinking === undefined ? [] : [{ kind: 'thinking' as const, text: thinking }]),
    ...readBlocks(spoken, `${place}.content`, unplaced),
    ...(refusal === undefined ? [] : [{ kind: 'text' as const, text: refusal }]),
    ...readCalls(message, place, unplaced),
  ];
  if (!parts.some(({ kind }) => kind === 'text' || kind === 'call')) {
    unplaced.push({ channels: ['answers', 'tool-calls'], reason: 'the message has neither words nor calls', place });
  }
  return parts;
}

export function writtenInChunk({ choices }: JsonObject): string {
  return recordsIn(choices)
    .flatMap(({ delta }) => Object.entries(recordIn(delta)))
    .map(([key, value]) => (key === 'role' ? '' : typeof value === 'string' ? value : writtenCalls(value)))
    .join('');
}

/** Names and arguments of calls; any other part as it is written. */
function writtenCalls(parts: unknown): string {
  return recordsIn(parts)
    .map(({ function: called, custom, ...part }) => {
      const { name, arguments: args, input } = recordIn(called ?? custom);
      return called === undefined && custom === undefined
        ? JSON.stringify(part)
        : `${textIn(name)}${textIn(args)}${textIn(input)}`;
    })
    .join('');
}

interface GrowingCall {
  id: string | undefined;
  isCustom: boolean;
  name: string;
  argumentText: string | undefined;
}

/** Assembles the chunks of a chat completion. */
export class ChatStream extends DocumentStream {
  isEnded = false;
  #text: string | undefined;
  #refusal = '';
  #thinking = '';
  #finish: unknown;
  #usage: unknown;
  #head: JsonObject = {};
  #hasAnswer = false;
  readonly #calls = new Map<number, GrowingCall>();
  /** Whether the answers beside the first have ended, by their number. */
  readonly #others = new Map<number, boolean>();

  constructor() {
    super(readChatReply);
  }

  addEvent(chunk: JsonObject): boolean {
    if (chunk.error) return this.fail(chunk);
    this.#usage = chunk.usage ?? this.#usage;
    this.#head = { id: this.#head.id ?? chunk.id, model: this.#head.model ?? chunk.model };
    if (!Array.isArray(chunk.choices)) {
      return chunk.usage === undefined || chunk.usage === null
        ? this.unknownEvent('an event holds no part of an answer')
        : false;
    }
    const choices: readonly unknown[] = chunk.choices;
    if (choices.length === 0 && chunk.usage == null && chunk.prompt_filter_results === undefined)
      return this.unknownEvent('an event holds no part of an answer');
    const choice = choices.find((each) => isRecord(each) && (each.index ?? 0) === 0);
    if (!isRecord(choice)) return this.#passOver(choices);
    if (choice.finish_reason) {
      this.isEnded = true;
      this.#finish = choice.finish_reason;
    }
    const delta = isRecord(choice.delta) ? choice.delta : choice.message;
    if (isRecord(delta)) return this.#addDelta(delta);
    return choice.finish_reason ? false : this.unknownEvent('an event holds an empty part of an answer');
  }

  protected override done(): void {
    this.isEnded = true;
  }

  /** Pieces of other answers than the first; each of those has an end too. */
  #passOver(choices: readonly unknown[]): false {
    for (const choice of choices) {
      const { index, finish_reason: finish } = recordIn(choice);
      if (typeof index !== 'number') this.unknownEvent('an event holds a broken part of an answer');
      else this.#others.set(index, this.#others.get(index) === true || Boolean(finish));
    }
    return false;
  }

  protected document(): JsonObject | undefined {
    if (!this.#hasAnswer && this.#finish === undefined) return undefined;
    if ([...this.#others.values()].includes(false)) this.unknownEvent('an answer beside the first has no end');
    const calls = [...this.#calls].map(([index, { id, isCustom, name, argumentText }]) => ({
      id: id ?? `call_${index + 1}`,
      ...(isCustom ? { custom: { name, input: argumentText } } : { function: { name, arguments: argumentText } }),
    }));
    const message = {
      content: this.#text,
      refusal: this.#refusal,
      reasoning_content: this.#thinking,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return { ...this.#head, choices: [{ message, finish_reason: this.#finish }], usage: this.#usage };
  }

  #addDelta(delta: JsonObject): boolean {
    this.#hasAnswer = true;
    const text = this.#textIn(delta.content);
    if (text !== undefined) this.#text = (this.#text ?? '') + text;
    this.#refusal += textIn(delta.refusal);
    this.#thinking += textIn(delta.reasoning_content) || textIn(delta.reasoning);
    const { tool_calls: parts, function_call: older } = delta;
    for (const part of Array.isArray(parts) ? parts : []) {
      if (isRecord(part)) this.#addCall(part);
      else this.unknownEvent('a piece of a call is not an object');
    }
    if (isRecord(older)) this.#addCall({ index: 0, function: older });
    return text !== undefined && text !== '';
  }

  #textIn(content: unknown): string | undefined {
    if (content === undefined || content === null) return undefined;
    return readBlocks(content, 'delta.content', this.unplaced)
      .map((part) => (part.kind === 'text' ? part.text : ''))
      .join('');
  }

  #addCall(part: JsonObject): void {
    // Servers that send each call in one piece often leave the index out.
    const index = typeof part.index === 'number' ? part.index : this.#calls.size;
    const call = this.#calls.get(index) ?? { id: undefined, isCustom: false, name: '', argumentText: undefined };
    this.#calls.set(index, call);
    call.id ??= someText(part.id);
    call.isCustom ||= isRecord(part.custom);
    const { name, arguments: written, input } = recordIn(part.function ?? part.custom);
    // Some servers repeat the name with every piece.
    if (name !== call.name) call.name += textIn(name);
    const piece = written ?? input;
    if (piece !== undefined && piece !== null) {
      call.argumentText = (call.argumentText ?? '') + (typeof piece === 'string' ? piece : JSON.stringify(piece));
    }
  }
}
