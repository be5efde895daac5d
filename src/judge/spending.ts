import type { JudgeAnswer } from '../domain/judge-result.ts';

/** What asking took. */
export type Spending = Pick<JudgeAnswer, 'usage' | 'costUsd'>;

/** What several calls took together; the cost is unknown as soon as one of them is. */
export function totalSpending(parts: readonly Spending[]): Spending {
  return {
    usage: {
      inputTokens: parts.reduce((sum, { usage }) => sum + usage.inputTokens, 0),
      outputTokens: parts.reduce((sum, { usage }) => sum + usage.outputTokens, 0),
    },
    costUsd: parts.reduce<number | null>(
      (sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd),
      0,
    ),
  };
}
