import type { TrialRecord } from '../../../domain/record.ts';
import { shorten } from '../../../shared/text.ts';

/** The part of a record that lists of trials and the grid of cases show, filter and sort. */
export type ListedTrial = Pick<
  TrialRecord,
  | 'trialId'
  | 'ordinal'
  | 'scenario'
  | 'file'
  | 'caseId'
  | 'variant'
  | 'repeat'
  | 'outcome'
  | 'reason'
  | 'durationMs'
  | 'costUsd'
  | 'excerpt'
>;

const longestReason = 500;

/** Reasons may quote whole answers; a list shows how they begin. */
export function shortReason(reason: string): string {
  return shorten(reason, longestReason);
}
