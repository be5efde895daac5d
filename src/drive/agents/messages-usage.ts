import type { AgentActions } from './actions.ts';
import type { AgentTrace } from './agent-trace.ts';
import { countOf, type JsonObject, numberOf, objectOf } from './json-shapes.ts';

/**
 * Emits the usage once, from the best source available: the sums by model, the sum, or the counts of the messages.
 * Returns the output tokens.
 */
export function emitUsage(
  trace: AgentTrace,
  closing: JsonObject | undefined,
  tally: MessageTally,
  dialect: MessagesDialect,
): number {
  const byModel = Object.entries(objectOf(closing?.modelUsage));
  if (byModel.length > 0) return emitUsageByModel(trace, byModel);
  const counts = closing ? dialect.countsOf(objectOf(closing.usage)) : tally.sum();
  if (!closing && counts.inputTokens > 0) {
    trace.notice('the agent ended before it reported its usage; tokens were counted from its messages');
  }
  trace.usage({ ...withReasoning(counts), ...costOf(closing?.total_cost_usd) });
  return counts.outputTokens;
}

function emitUsageByModel(trace: AgentTrace, byModel: readonly [string, unknown][]): number {
  let outputTokens = 0;
  for (const [model, value] of byModel) {
    const usage = objectOf(value);
    const counts = countsByModel(usage);
    trace.usage({ model, ...withReasoning(counts), ...costOf(usage.costUSD) });
    outputTokens += counts.outputTokens;
  }
  return outputTokens;
}

function countsByModel(usage: JsonObject): TokenCounts {
  const cachedInputTokens = countOf(usage.cacheReadInputTokens);
  const written = countOf(usage.cacheCreationInputTokens);
  return {
    inputTokens: countOf(usage.inputTokens) + cachedInputTokens + written,
    cachedInputTokens,
    outputTokens: countOf(usage.outputTokens),
    reasoningTokens: countOf(usage.thinkingTokens),
  };
}

function withReasoning({ reasoningTokens, ...counts }: TokenCounts): Omit<TokenCounts, 'reasoningTokens'> & {
  reasoningTokens?: number;
} {
  return reasoningTokens > 0 ? { ...counts, reasoningTokens } : counts;
}

function costOf(value: unknown): { costUsd?: number } {
  const costUsd = numberOf(value);
  // A negative cost cannot be a real one.
  return costUsd === undefined || costUsd < 0 ? {} : { costUsd };
}

/** Counts tokens by message, for an agent that ends before it reports their sum. */
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

/** Tokens of one request, or of all of them. */
interface TokenCounts {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** The result of a shell command as the stream reports it. */
interface ShellResult {
  readonly text: string;
  readonly isError: boolean;
  /** Details that the agent reports beside the content. */
  readonly details: JsonObject;
}

/** Where the agents differ that print their work as messages in the manner of Anthropic's API. */
export interface MessagesDialect {
  readonly shellTool: string;
  readonly actions: AgentActions;
  /** Null when the stream does not report it. */
  exitCodeOf(result: ShellResult): number | null;
  /** The counts of a `usage` object; input includes what was read from a cache. */
  countsOf(usage: JsonObject): TokenCounts;
  /** Whether an assistant message is in truth the agent's own report that its provider has failed. */
  isProviderError(line: JsonObject, text: string): boolean;
}
