import { normalQuantile } from './normal.ts';

/** What the differences of paired cases vary by. */
export interface PairedVariance {
  readonly cases: number;
  /** Of the true differences from case to case: more repeats do not make it smaller. */
  readonly betweenCases: number;
  /** Of one repeat under A and one under B together: n repeats divide it by n. */
  readonly withinCase: number;
}

/** What would be needed to see a difference of a given size. */
export interface RepeatPlan {
  /** Null when no number of repeats is enough with so few cases. */
  readonly repeats: number | null;
  /** Cases needed with the repeats that there are. */
  readonly cases: number;
}

const confidence = 0.975;
const power = 0.8;
const mostRepeats = 100_000;

/** Repeats of each case, or cases, with which a true difference of this size is found four times in five. */
export function planRepeats(
  { cases, betweenCases, withinCase }: PairedVariance,
  difference: number,
  repeats: number,
): RepeatPlan {
  const factor = (normalQuantile(confidence) + normalQuantile(power)) ** 2;
  const needed = Math.abs(difference);
  if (needed === 0) return { repeats: null, cases: Number.POSITIVE_INFINITY };
  const room = (cases * needed ** 2) / factor - betweenCases;
  const enough = room > 0 ? Math.max(1, Math.ceil(withinCase / room)) : null;
  const total = betweenCases + withinCase / Math.max(1, repeats);
  return {
    repeats: enough !== null && enough <= mostRepeats ? enough : null,
    cases: Math.max(2, Math.ceil((factor * total) / needed ** 2)),
  };
}

/** One case under both sides: the mean, the variance and the number of its repeats. */
export interface RepeatedCase {
  readonly difference: number;
  readonly varianceA: number;
  readonly varianceB: number;
  readonly repeatsA: number;
  readonly repeatsB: number;
}

/** Splits what the differences vary by into what cases differ in and what repeats of one case differ in. */
export function pairedVariance(cases: readonly RepeatedCase[]): PairedVariance {
  const count = cases.length;
  const mean = cases.reduce((sum, { difference }) => sum + difference, 0) / Math.max(1, count);
  const total = cases.reduce((sum, { difference }) => sum + (difference - mean) ** 2, 0) / Math.max(1, count - 1);
  const noise = cases.reduce((sum, one) => sum + one.varianceA / one.repeatsA + one.varianceB / one.repeatsB, 0);
  const within = cases.reduce((sum, { varianceA, varianceB }) => sum + varianceA + varianceB, 0);
  return {
    cases: count,
    betweenCases: Math.max(0, total - noise / Math.max(1, count)),
    withinCase: within / Math.max(1, count),
  };
}
