import { permuteTrials } from './permute-trials.ts';

/** How often, at most, all rules that name single causes may blame something when nothing has changed. */
const level = 0.05;

/** How often, at most, any of all checks of a suite may be called broken when nothing has changed. */
const levelOfChecks = 0.01;

/**
 * Whether the trials of two sides differ by more than chance explains, by permuting them. `looks` is the number of
 * such tests on the same trials: the more there are, the stronger the evidence each of them needs.
 */
export function differBeyondChance(a: readonly number[], b: readonly number[], looks = 1): boolean {
  const found = permuteTrials([{ a, b }]);
  return found !== undefined && found.pValue <= level / Math.max(1, looks);
}

/** A check of a case that always held before. */
export interface HeldCheck {
  readonly heldBefore: number;
  readonly heldNow: number;
  readonly failedNow: number;
}

/**
 * Whether a check that held in every trial before fails too often now for an unchanged case, whatever its true pass rate
 * is. `looks` is the number of checks, over all cases, that always held before.
 */
export function brokeBeyondChance({ heldBefore, heldNow, failedNow }: HeldCheck, looks: number): boolean {
  if (failedNow === 0 || heldBefore === 0) return false;
  const tried = heldNow + failedNow;
  let largest = 0;
  for (let step = 1; step < 200; step++) {
    const rate = step / 200;
    largest = Math.max(largest, rate ** heldBefore * chanceOfFailures(tried, failedNow, 1 - rate));
  }
  return largest <= levelOfChecks / Math.max(1, looks);
}

/** The chance of at least so many failures. */
function chanceOfFailures(tried: number, failures: number, failureRate: number): number {
  let term = (1 - failureRate) ** tried;
  let fewer = 0;
  for (let count = 0; count < failures; count++) {
    fewer += term;
    term *= ((tried - count) / (count + 1)) * (failureRate / (1 - failureRate));
  }
  return Math.max(0, 1 - fewer);
}
