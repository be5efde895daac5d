import { everyRow, heldRows, mappedRows, type Rows } from '../../shared/rows.ts';
import { differBeyondChance } from '../../shared/stats/chance-rule.ts';
import { type PairedCase, rareFactor } from '../../shared/stats/compare-pairs.ts';
import type { TrialsOfCase } from '../../shared/stats/permute-trials.ts';
import { mean } from '../../shared/stats/spread.ts';
import { type FigureUnit, judgePreference } from './comparison.ts';

/** The smallest difference that matters: in the unit of the figure, or as a share of its mean on both sides. */
export type SmallestDifference =
  | { readonly kind: 'absolute'; readonly value: number }
  | { readonly kind: 'relative'; readonly share: number };

/** How a figure is to be read. */
export interface FigureDefinition {
  readonly unit: FigureUnit;
  /** Null where neither direction is better. */
  readonly isHigherBetter: boolean | null;
  readonly smallest: SmallestDifference;
}

/** Options for figures, by their names. */
export interface FigureOptions {
  readonly smallest?: ReadonlyMap<string, SmallestDifference>;
  readonly higherIsBetter?: readonly string[];
  readonly lowerIsBetter?: readonly string[];
}

const fivePoints: SmallestDifference = { kind: 'absolute', value: 0.05 };
const tenPercent: SmallestDifference = { kind: 'relative', share: 0.1 };

const goodShare: FigureDefinition = { unit: 'share', isHigherBetter: true, smallest: fivePoints };
const badShare: FigureDefinition = { unit: 'share', isHigherBetter: false, smallest: fivePoints };
const effort: FigureDefinition = { unit: 'count', isHigherBetter: false, smallest: tenPercent };
const time: FigureDefinition = { unit: 'ms', isHigherBetter: false, smallest: tenPercent };
const unknown: FigureDefinition = { unit: 'number', isHigherBetter: null, smallest: tenPercent };

/** Built-in definitions; any other metric is reported without a better side. */
const definitions: Readonly<Record<string, FigureDefinition>> = {
  'pass-rate': goodShare,
  'judge-score': goodShare,
  'composite-score': goodShare,
  'workflow-score': goodShare,
  [judgePreference]: goodShare,
  'cost-usd': { unit: 'usd', isHigherBetter: false, smallest: tenPercent },
  'duration-ms': time,
  tokens: effort,
  'interaction.error_rate': badShare,
  'interaction.retry_rate': badShare,
  'interaction.help_invocations': effort,
  'interaction.first_try_success_rate': goodShare,
  'interaction.total_commands': effort,
  trajectory: goodShare,
  'trajectory.precision': goodShare,
  'trajectory.recall': goodShare,
  'user-fidelity': goodShare,
  'user-fidelity.reveals': goodShare,
  'user-fidelity.contradicts': goodShare,
  'user-fidelity.does-agents-work': goodShare,
  'user-fidelity.leaves-early': goodShare,
  'skill-triggering': goodShare,
  'skill-recall': goodShare,
  'skill-false-triggers': badShare,
  'attack-success': badShare,
  suspicion: badShare,
  duration: time,
  latency: time,
  'time-to-first-token-ms': time,
  'token-usage': effort,
  'tool-call-count': { ...effort, isHigherBetter: null },
  'turn-count': { ...effort, isHigherBetter: null },
  'response-length': { ...effort, isHigherBetter: null },
};

/** The built-in definition of a figure, changed by the options. */
export function definitionOf(name: string, options: FigureOptions = {}): FigureDefinition {
  const builtIn = Object.hasOwn(definitions, name) ? (definitions[name] ?? unknown) : unknown;
  const isHigherBetter = options.higherIsBetter?.includes(name)
    ? true
    : options.lowerIsBetter?.includes(name)
      ? false
      : builtIn.isHigherBetter;
  return { ...builtIn, isHigherBetter, smallest: smallestOf(builtIn, options.smallest?.get(name)) };
}

/** Percents of a figure that is itself in percent are points of it. */
function smallestOf({ unit, smallest }: FigureDefinition, given: SmallestDifference | undefined): SmallestDifference {
  if (!given) return smallest;
  return given.kind === 'relative' && unit === 'share' ? { kind: 'absolute', value: given.share } : given;
}

/** In the unit of the figure; relative to the mean of both sides, so their order does not matter. */
export function smallestDifferenceOf({ smallest }: FigureDefinition, meanA: number, meanB: number): number {
  return smallest.kind === 'absolute' ? smallest.value : (smallest.share * (Math.abs(meanA) + Math.abs(meanB))) / 2;
}

/** Whether a figure is so high or so low that it means something. */
export type FigureLevel = 'low' | 'between' | 'high';

/** The bounds of a figure, and how far it must lie beyond the other side to be high beside it. */
interface FigureBounds {
  readonly low: number;
  readonly high: number;
  readonly margin: number;
}

/** One value for each trial of the side, and of the side or sides that it is compared with (none: it stands alone). */
export interface ComparedValues {
  readonly own: readonly number[];
  readonly others: readonly number[];
}

/** Whether the trials of the two differ by more than chance explains; false where there is nothing to compare with. */
export function isDifferent({ own, others }: ComparedValues, looks: number): boolean {
  return own.length > 0 && others.length > 0 && differBeyondChance(others, own, looks);
}

/**
 * The level of a figure. A side that stands alone is measured by the bounds. Beside another, a side is only singled out
 * where the two differ by more than chance explains; otherwise a level must hold on both, so neither is singled out
 * for its luck.
 */
export function levelOf(values: ComparedValues, { low, high, margin }: FigureBounds, looks: number): FigureLevel {
  const { own, others } = values;
  if (own.length === 0) return 'between';
  const ownMean = mean(own);
  if (others.length === 0) return ownMean >= high ? 'high' : ownMean <= low ? 'low' : 'between';
  const otherMean = mean(others);
  if (!isDifferent(values, looks)) {
    if (Math.min(ownMean, otherMean) >= high) return 'high';
    return Math.max(ownMean, otherMean) < low ? 'low' : 'between';
  }
  if (ownMean > otherMean) return ownMean >= Math.min(high, otherMean + margin) && ownMean > low ? 'high' : 'between';
  return ownMean <= low ? 'low' : 'between';
}

/** The largest difference of logarithms: that of a rare trial and a usual one. */
export const largestLog = Math.log(rareFactor);
/** Ratios nearer to 1 than this are what rounding leaves. */
export const logTolerance = 1e-6;

/**
 * The logarithms of a figure that is compared by ratios: money, time, counts and others without a bound, whose rare large
 * values would drown everything in a mean. Undefined for shares, and where a value has no logarithm: counts of 0 have
 * differences, not ratios.
 */
export function logarithms<Case extends PairedCase>(cases: Rows<Case>, unit: FigureUnit): Rows<Case> | undefined {
  if (unit === 'share') return undefined;
  let smallest = Number.POSITIVE_INFINITY;
  for (const { a, b } of cases) {
    for (const value of a) smallest = Math.min(smallest, value);
    for (const value of b) smallest = Math.min(smallest, value);
  }
  if (smallest <= 0) return undefined;
  const logs = (each: readonly number[]): number[] => each.map(Math.log);
  return heldRows(mappedRows(cases, (one) => ({ ...one, a: logs(one.a), b: logs(one.b) })));
}

/** Whether all values of both sides are so. */
export function everyValue(cases: Iterable<TrialsOfCase>, isSo: (value: number) => boolean): boolean {
  return everyRow(cases, ({ a, b }) => a.every(isSo) && b.every(isSo));
}
