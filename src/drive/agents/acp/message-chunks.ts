import { fieldAt } from '../field-at.ts';
import { textOf } from '../json-shapes.ts';
import type { Narration } from '../narration.ts';

interface Pending {
  readonly kind: 'assistant' | 'reasoning';
  readonly messageId: unknown;
  text: string;
}

/** Puts messages together from the chunks in which they arrive. */
export class MessageChunks {
  readonly #narration: Narration;
  #pending: Pending | undefined;

  constructor(narration: Narration) {
    this.#narration = narration;
  }

  add(kind: Pending['kind'], update: unknown): void {
    const messageId = fieldAt(update, 'messageId');
    if (this.#pending?.kind !== kind || this.#pending.messageId !== messageId) this.flush();
    this.#pending ??= { kind, messageId, text: '' };
    this.#pending.text += textOf(fieldAt(update, 'content', 'text')) ?? '';
  }

  /** Tells the message that is still being put together. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) this.#narration[pending.kind](pending.text);
  }
}
