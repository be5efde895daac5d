import type { JsonObject } from '../json-shapes.ts';
import type { MessagesDialect, TokenCounts } from './messages-dialect.ts';

/** Counts tokens by message, for an agent that ends before it tells their sum. */
export class MessageTally {
  readonly #countsOf: MessagesDialect['countsOf'];
  readonly #byMessage = new Map<string, TokenCounts>();

  constructor(countsOf: MessagesDialect['countsOf']) {
    this.#countsOf = countsOf;
  }

  /** The parts of one message repeat its usage, of which the last is the most complete. */
  note(messageId: string, usage: JsonObject): void {
    const counts = this.#countsOf(usage);
    const before = this.#byMessage.get(messageId);
    if (before === undefined || counts.outputTokens >= before.outputTokens) this.#byMessage.set(messageId, counts);
  }

  sum(): TokenCounts {
    const total = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };
    for (const counts of this.#byMessage.values()) {
      total.inputTokens += counts.inputTokens;
      total.cachedInputTokens += counts.cachedInputTokens;
      total.outputTokens += counts.outputTokens;
      total.reasoningTokens += counts.reasoningTokens;
    }
    return total;
  }
}
