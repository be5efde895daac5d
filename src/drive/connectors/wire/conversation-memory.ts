/** More than any run holds at the same time. */
const maxConversations = 10_000;

/** A value for each conversation between its turns; the least recently used one is dropped first. */
export class ConversationMemory<Value> {
  readonly #values = new Map<string, Value>();

  get(conversationId: string): Value | undefined {
    return this.#values.get(conversationId);
  }

  set(conversationId: string, value: Value): void {
    this.#values.delete(conversationId);
    this.#values.set(conversationId, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > maxConversations && oldest !== undefined) this.#values.delete(oldest);
  }
}
