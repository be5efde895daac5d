import { messageText } from '../../../domain/message.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import { reportedUsage } from '../../wire/reported-usage.ts';
import { errorTextIn } from './answer.ts';
import { contentOf, readMessage } from './messages.ts';
import type { DocumentReader, ProviderAnswer } from './provider.ts';

/** The first of several choices, in any order. */
function firstChoice(choices: readonly unknown[]): unknown {
  return choices.find((choice) => isRecord(choice) && choice.index === 0) ?? choices[0];
}

/** Reads a chat completion in OpenAI's format; undefined for any other document. */
export function readChatCompletion(document: unknown): ProviderAnswer | undefined {
  if (!isRecord(document) || !Array.isArray(document.choices)) return undefined;
  const choice = firstChoice(document.choices);
  const message = isRecord(choice) ? readMessage(choice.message ?? choice.text) : undefined;
  if (!message) return undefined;
  return {
    messages: [{ ...message, role: 'assistant' }],
    ...reportedUsage(document),
    ...(typeof document.model === 'string' && { model: document.model }),
  };
}

interface GrowingCall {
  id: string | undefined;
  name: string;
  argumentText: string;
}

/** Assembles the chunks of a chat completion. */
export class ChatStream implements DocumentReader {
  problem: string | undefined;
  #text = '';
  #refusal = '';
  #hasAnswer = false;
  #isComplete = false;
  #usage: unknown;
  #model: unknown;
  readonly #calls = new Map<number, GrowingCall>();

  add(data: string): boolean {
    if (data.trim() === '[DONE]') {
      this.#isComplete = true;
      return false;
    }
    const chunk = parseJson(data);
    if (chunk === undefined) this.problem ??= 'an event is not JSON';
    return isRecord(chunk) && this.addChunk(chunk);
  }

  /** Takes a chunk that has been parsed; returns whether it added text. */
  addChunk(chunk: Record<string, unknown>): boolean {
    if (chunk.error) this.problem ??= errorTextIn(chunk) ?? 'it sent an error';
    this.#usage = chunk.usage ?? this.#usage;
    this.#model ??= chunk.model;
    const choice: unknown = Array.isArray(chunk.choices) ? firstChoice(chunk.choices) : undefined;
    // Only the first of several choices is read.
    if (!isRecord(choice) || (typeof choice.index === 'number' && choice.index !== 0)) return false;
    if (choice.finish_reason) this.#isComplete = true;
    const delta = isRecord(choice.delta) ? choice.delta : choice.message;
    return isRecord(delta) && this.#addDelta(delta);
  }

  document(): unknown {
    if (!this.#isComplete || !this.#hasAnswer) return undefined;
    const calls = [...this.#calls].map(([index, { id, name, argumentText }]) => ({
      id: id ?? `call_${index + 1}`,
      type: 'function',
      function: { name, arguments: argumentText },
    }));
    const text = this.#text || this.#refusal;
    const content = text === '' && calls.length > 0 ? null : text;
    const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
    return { choices: [{ message }], usage: this.#usage, model: this.#model };
  }

  #addDelta(delta: Record<string, unknown>): boolean {
    this.#hasAnswer = true;
    const text = messageText({ content: contentOf(delta.content) });
    this.#text += text;
    if (typeof delta.refusal === 'string') this.#refusal += delta.refusal;
    for (const part of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) if (isRecord(part)) this.#addCall(part);
    return text !== '';
  }

  #addCall(part: Record<string, unknown>): void {
    // Servers that send each call in one piece often leave the index out.
    const index = typeof part.index === 'number' ? part.index : this.#calls.size;
    const call = this.#calls.get(index) ?? { id: undefined, name: '', argumentText: '' };
    this.#calls.set(index, call);
    if (typeof part.id === 'string' && part.id !== '') call.id ??= part.id;
    const fn = isRecord(part.function) ? part.function : {};
    if (typeof fn.name === 'string') call.name += fn.name;
    if (typeof fn.arguments === 'string') call.argumentText += fn.arguments;
    else if (isRecord(fn.arguments)) call.argumentText += JSON.stringify(fn.arguments);
  }
}
