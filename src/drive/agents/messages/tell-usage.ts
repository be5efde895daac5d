import { countOf, type JsonObject, numberOf, objectOf } from '../json-shapes.ts';
import type { Narration } from '../narration.ts';
import type { MessageTally } from './message-tally.ts';
import type { MessagesDialect, TokenCounts } from './messages-dialect.ts';

/**
 * Tells what was used once, from the best that there is: the sums by model, the sum, or the messages' own counts.
 * Returns the output tokens.
 */
export function tellUsage(
  narration: Narration,
  closing: JsonObject | undefined,
  tally: MessageTally,
  dialect: MessagesDialect,
): number {
  const byModel = Object.entries(objectOf(closing?.modelUsage));
  if (byModel.length > 0) return tellByModel(narration, byModel);
  const counts = closing ? dialect.countsOf(objectOf(closing.usage)) : tally.sum();
  if (!closing && counts.inputTokens > 0) {
    narration.notice('the agent ended before it told what it used; counted from its messages');
  }
  narration.usage({ ...told(counts), ...costOf(closing?.total_cost_usd) });
  return counts.outputTokens;
}

function tellByModel(narration: Narration, byModel: readonly [string, unknown][]): number {
  let outputTokens = 0;
  for (const [model, value] of byModel) {
    const usage = objectOf(value);
    const counts = countsByModel(usage);
    narration.usage({ model, ...told(counts), ...costOf(usage.costUSD) });
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

function told({ reasoningTokens, ...counts }: TokenCounts): Omit<TokenCounts, 'reasoningTokens'> & {
  reasoningTokens?: number;
} {
  return reasoningTokens > 0 ? { ...counts, reasoningTokens } : counts;
}

function costOf(value: unknown): { costUsd?: number } {
  const costUsd = numberOf(value);
  // Nobody is paid for using a model: a negative cost was not observed.
  return costUsd === undefined || costUsd < 0 ? {} : { costUsd };
}
