import type { JudgeConfidence, JudgeVerdict } from '../../domain/judge-protocol.ts';

/** A verdict with the counts behind it. */
export interface CountedVerdict {
  verdict: JudgeVerdict;
  /** Pass criteria that were met. */
  passCount: number;
  /** Fail criteria that were triggered. */
  failCount: number;
  totalCriteria: number;
}

/** Computes the verdict: PASS when every pass criterion is met and every fail criterion avoided. */
export function computeVerdict(passResults: readonly boolean[], failAvoided: readonly boolean[]): CountedVerdict {
  const passCount = passResults.filter(Boolean).length;
  const failCount = failAvoided.filter((avoided) => !avoided).length;
  return {
    verdict: passCount === passResults.length && failCount === 0 ? 'PASS' : 'FAIL',
    passCount,
    failCount,
    totalCriteria: passResults.length + failAvoided.length,
  };
}

const ambiguousWords = ['approximately', 'around', 'roughly'];

/** Computes the confidence from how many criteria are worded vaguely. */
export function computeConfidence(criteria: readonly string[]): JudgeConfidence {
  const ambiguous = criteria.filter((criterion) => ambiguousWords.some((word) => criterion.includes(word))).length;
  if (ambiguous === 0) return 'HIGH';
  return ambiguous < criteria.length / 2 ? 'MEDIUM' : 'LOW';
}
