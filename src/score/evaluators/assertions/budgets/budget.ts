import type { Answer } from '../../evaluator.ts';

interface Spending {
  readonly actual: number;
  readonly limit: number;
  readonly reason: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** For a figure that only grows in a conversation: no later answer can bring it back under the limit. */
  readonly onlyGrows?: boolean;
}

/** How something spent stands to its limit: exactly the limit is still within it. */
export function withinBudget(spending: Spending): Answer<'assertion'> {
  const { actual, limit, reason, metadata, onlyGrows = false } = spending;
  const about = { reason, ...(metadata && { metadata }) };
  if (actual <= limit) return { state: 'pass', value: 1, ...about };
  const value = limit === 0 ? 0 : Math.max(0, 1 - (actual - limit) / limit);
  return { state: 'fail', value, ...about, ...(onlyGrows ? { isSettled: true } : {}) };
}
