import { type JudgeSpending, totalSpending } from '../../domain/judge-result.ts';
import type { ModelReply } from '../../drive/models/model.ts';

/** What calls of a model took; a request without a reply may have cost anything. */
export function spendingOf(replies: readonly ModelReply[], unansweredRequests: number): JudgeSpending {
  const answered = totalSpending(replies.map(({ usage, costUsd }) => ({ usage, costUsd })));
  return unansweredRequests === 0 ? answered : { ...answered, costUsd: null, unansweredRequests };
}
