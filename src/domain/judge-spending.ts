import type { JudgeAnswer } from './judge-result.ts';
import { sumOf } from './spend.ts';

/** What asking the judge took. */
export type JudgeSpending = Pick<JudgeAnswer, 'usage' | 'costUsd' | 'unansweredRequests'>;

/** What several answers took together; the cost is unknown as soon as one of them is. */
export function totalSpending(parts: readonly JudgeSpending[]): JudgeSpending {
  const unansweredRequests = parts.reduce((sum, part) => sum + (part.unansweredRequests ?? 0), 0);
  return {
    usage: {
      inputTokens: parts.reduce((sum, { usage }) => sum + usage.inputTokens, 0),
      outputTokens: parts.reduce((sum, { usage }) => sum + usage.outputTokens, 0),
    },
    costUsd: sumOf(parts.map(({ costUsd }) => costUsd)),
    ...(unansweredRequests > 0 && { unansweredRequests }),
  };
}
