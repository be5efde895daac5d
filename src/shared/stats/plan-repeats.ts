import { everyRow, type Rows } from '../rows.ts';
import type { PairedCase } from './compare-pairs.ts';
import { normalQuantile, studentQuantile } from './distributions.ts';
import type { UnitKey } from './pass-rate.ts';
import { fewestInformative } from './sign-test.ts';
import { meanOf, sumOf, varianceOf } from './spread.ts';

/** Variance of the differences of sampled units. */
export interface PairedVariance {
  readonly units: number;
  /** Of the true differences from unit to unit: more repeats do not make it smaller. Null where one run cannot show it. */
  readonly betweenUnits: number | null;
  /** Of one repeat under A and one under B together: n repeats divide it by n. Null where each was tried once. */
  readonly withinUnit: number | null;
  /** Of cases that ended now one way and now the other, of all that were tried more than once. */
  readonly unsettledShare: number;
}

/** Cases and repeats needed to detect a difference of a given size. */
export interface RepeatPlan {
  /** Null when no number of repeats is enough with so few cases. */
  readonly repeats: number | null;
  /** Cases needed with the repeats that there are. */
  readonly cases: number;
}

const confidence = 0.95;
/** A little more than is promised, because what is planned from was itself seen by chance. */
const power = 0.83;
const mostRepeats = 100_000;
const mostUnits = 10_000_000;

/** Repeats of each case, or cases, with which a true difference of this size is found four times in five. */
export function planRepeats(seen: PairedVariance, difference: number, repeats: number, isShare: boolean): RepeatPlan {
  const size = Math.abs(difference);
  if (size === 0) return { repeats: null, cases: Number.POSITIVE_INFINITY };
  const between = Math.max(seen.betweenUnits ?? 0, variationOfEffect(size, seen.unsettledShare, isShare));
  const within = seen.withinUnit;
  const total = between + (within ?? 0) / Math.max(1, repeats);
  const enough = (count: number): boolean =>
    seen.units >= fewestInformative && isFound(size, between + (within ?? 0) / count, seen.units);
  return {
    repeats: within === null ? null : smallest(enough, mostRepeats),
    cases: smallest((units) => isFound(size, total, units), mostUnits, fewestInformative) ?? Number.POSITIVE_INFINITY,
  };
}

/**
 * A change hardly ever does the same to all cases. Cases that always end alike can only change altogether, so the fewer
 * are unsettled, the fewer carry the whole difference; in the end they are the share of cases that broke.
 */
function variationOfEffect(size: number, unsettledShare: number, isShare: boolean): number {
  if (!isShare) return size ** 2;
  const carrying = Math.min(1, Math.max(unsettledShare < 0.5 ? 2 * unsettledShare ** 2 : unsettledShare, size));
  return size ** 2 * (1 / carrying - 1);
}

/** Whether a difference is found with the power that is promised, by the test that comparisons are made with. */
function isFound(size: number, variance: number, units: number): boolean {
  const further = 1.5 * (variance + size ** 2);
  const error = ((units - 1) * variance + 2 * (further + size ** 2)) / ((units + 1) * (units + 2));
  return size / Math.sqrt(error) >= studentQuantile(confidence, units - 1) + normalQuantile(power);
}

/** The smallest number that is enough, where more always is; null where none is. */
function smallest(isEnough: (count: number) => boolean, most: number, fewest = 1): number | null {
  let [low, high] = [fewest - 1, fewest];
  while (!isEnough(high)) {
    if (high >= most) return null;
    [low, high] = [high, Math.min(most, high * 2)];
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Variance between units and within a case; of one run where all B are left out. */
export function pairedVariance(cases: Rows<Omit<PairedCase, 'b'> & Partial<PairedCase>>): PairedVariance {
  const isAlone = everyRow(cases, ({ b }) => b === undefined);
  const found = new Map<UnitKey, UnitSums>();
  let unsettled = 0;
  for (const { unit, a, b } of cases) {
    const other = b ?? a;
    const sums = found.get(unit) ?? { cases: 0, difference: 0, noise: 0, within: 0 };
    found.set(unit, sums);
    sums.cases++;
    sums.difference += meanOf(other) - meanOf(a);
    sums.noise += varianceOf(a) / a.length + varianceOf(other) / other.length;
    sums.within += varianceOf(a) + varianceOf(other);
    if (isUnsettled(a) || isUnsettled(other)) unsettled++;
  }
  const units = [...found.values()];
  const isTriedOnce = everyRow(cases, ({ a, b }) => a.length < 2 && (b ?? []).length < 2);
  const spread = varianceOf(units.map((unit) => unit.difference / unit.cases));
  const noise = sumOf(units.map((unit) => unit.noise / unit.cases ** 2)) / Math.max(1, units.length);
  const within = sumOf(units.map((unit) => unit.within / unit.cases ** 2)) / Math.max(1, units.length);
  // With one try each of one run, all that cases differ by may be chance: the most that it can be, on each of two sides.
  const scatter = 2 * varianceOf(Array.from(cases, ({ a }) => meanOf(a)));
  return {
    units: units.length,
    betweenUnits: isAlone ? null : Math.max(0, spread - noise),
    withinUnit: isTriedOnce ? (isAlone ? scatter : null) : within,
    unsettledShare: isTriedOnce ? Math.min(0.5, 2 * scatter) : (unsettled + 1) / (cases.length + 2),
  };
}

interface UnitSums {
  cases: number;
  difference: number;
  noise: number;
  within: number;
}

function isUnsettled(values: readonly number[]): boolean {
  return values.some((value) => value !== values[0]);
}
