import { isPartlyJudged } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { printable } from '../../shared/text.ts';
import { shortened, visibleText } from './plain-text.ts';

const longestReason = 300;

/** How many gates there were, and how many passed. */
export function gateCounts({ gates }: Pick<TrialRecord, 'gates'>): { readonly passed: number; readonly total: number } {
  return { passed: gates.filter(({ passed }) => passed).length, total: gates.length };
}

/** `Pass`, `Fail: 2/3 gates passed`, `Fail: <why>`, `Error: <why it could not be judged>` or `Skipped: <why>`. */
export function outcomeText(record: Pick<TrialRecord, 'outcome' | 'reason' | 'gates' | 'fault'>): string {
  if (isPartlyJudged(record)) return `Pass (${printable(visibleText(record.fault?.message ?? '')).trim()})`;
  if (record.outcome === 'pass') return 'Pass';
  const { passed, total } = gateCounts(record);
  if (record.outcome === 'fail' && passed < total) return `Fail: ${passed}/${total} gates passed`;
  const reason = shortened(printable(visibleText(record.reason)).trim(), longestReason);
  return `${outcomeWords[record.outcome]}: ${reason}`;
}

const outcomeWords = { fail: 'Fail', error: 'Error', skipped: 'Skipped' } as const;

/** A score in a word. */
export function scoreTier(score: number): 'Excellent' | 'Good' | 'Acceptable' | 'Poor' {
  if (score >= 0.9) return 'Excellent';
  if (score >= 0.7) return 'Good';
  return score >= 0.5 ? 'Acceptable' : 'Poor';
}
