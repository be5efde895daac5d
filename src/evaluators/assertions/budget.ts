import type { Answer } from '../evaluator.ts';

interface Spending {
  readonly actual: number;
  readonly limit: number;
  readonly reason: string;
  /** For what only grows in a conversation, so that no later answer can mend it. */
  readonly onlyGrows?: boolean;
}

/** How something spent stands to its limit: exactly the limit is still within it. */
export function withinBudget({ actual, limit, reason, onlyGrows = false }: Spending): Answer<'assertion'> {
  if (actual <= limit) return { state: 'pass', reason, value: 1 };
  const value = limit === 0 ? 0 : Math.max(0, 1 - (actual - limit) / limit);
  return { state: 'fail', reason, value, ...(onlyGrows ? { isSettled: true } : {}) };
}
