/** Conversations that are remembered at once; more than any run holds at the same time. */
const mostConversations = 10_000;

/** What is known of each conversation between its turns; the one that was asked least recently is forgotten first. */
export class ConversationMemory<Known> {
  readonly #known = new Map<string, Known>();

  get(conversationId: string): Known | undefined {
    return this.#known.get(conversationId);
  }

  set(conversationId: string, known: Known): void {
    this.#known.delete(conversationId);
    this.#known.set(conversationId, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostConversations && oldest !== undefined) this.#known.delete(oldest);
  }
}
