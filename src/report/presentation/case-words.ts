import type { ChangedCase } from '../compare/comparison.ts';
import { trialTitle } from './trial-text.ts';

/** What became of a case, in a word or two. */
export const changeWords: Readonly<Record<ChangedCase['change'], string>> = {
  broke: 'broke',
  'less-often': 'less often',
  unjudged: 'not judged',
  'only-in-a': 'only in A',
  fixed: 'fixed',
  'more-often': 'more often',
  'only-in-b': 'only in B',
};

/** The case with the part of its variant that both sides share. */
export function caseTitle({ scenario, caseId, variant }: ChangedCase): string {
  return trialTitle({ scenario, caseId, variant, repeat: 1 });
}

/** `5/5 → 1/5`; a dash for a side without a judged trial. */
export function triesText({ passedA, triedA, passedB, triedB }: ChangedCase): string {
  const side = (passed: number, tried: number): string => (tried === 0 ? '-' : `${passed}/${tried}`);
  return `${side(passedA, triedA)} → ${side(passedB, triedB)}`;
}

/** The command that shows what was done differently, or what was done where only one side tells; empty for neither. */
export function lookCommand({ trialA, trialB }: ChangedCase): string {
  if (trialA !== undefined && trialB !== undefined) return `assay diff ${trialA} ${trialB}`;
  const trialId = trialB ?? trialA;
  return trialId === undefined ? '' : `assay show ${trialId}`;
}
