import { mean } from '../../shared/stats/spread.ts';
import { unchangedCases } from './changed-cases.ts';
import type { CasePair, CollectedCase } from './collected-side.ts';
import type { ComparisonDetails, FigureDots, MetricComparison, SideDots } from './comparison.ts';

/** With more dots on a side no picture is clearer. */
const mostDots = 300;
const mostUnchanged = 200;

/** Values and cases for the pictures and lists of a page. */
export function comparisonDetails(pairs: readonly CasePair[], metrics: readonly MetricComparison[]): ComparisonDetails {
  const { cases, count } = unchangedCases(pairs, mostUnchanged);
  return { dots: metrics.map((metric) => figureDots(metric, pairs)), unchangedCases: cases, unchangedCount: count };
}

function figureDots({ name, unit }: MetricComparison, pairs: readonly CasePair[]): FigureDots {
  const of = unit === 'share' ? 'case' : 'trial';
  // Only the pairs that have the figure on both sides are compared, so only these are drawn.
  const both = pairs.filter(({ a, b }) => a?.figures.has(name) && b?.figures.has(name));
  const sideOf = (side: 'a' | 'b'): SideDots | null => sideDots(both.flatMap((pair) => valuesOf(pair[side], name, of)));
  return { name, unit, of, a: sideOf('a'), b: sideOf('b') };
}

function valuesOf(one: CollectedCase | undefined, name: string, of: FigureDots['of']): readonly number[] {
  const values = one?.figures.get(name) ?? [];
  return of === 'case' && values.length > 0 ? [mean(values)] : values;
}

function sideDots(values: readonly number[]): SideDots | null {
  const sorted = values.toSorted((one, other) => one - other);
  const [lower, upper] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  if (lower === undefined || upper === undefined) return null;
  return { values: spreadOf(sorted), total: sorted.length, median: (lower + upper) / 2 };
}

/** Evenly chosen by rank: the shape and both ends stay. */
function spreadOf(sorted: readonly number[]): readonly number[] {
  if (sorted.length <= mostDots) return sorted;
  const last = sorted.length - 1;
  return Array.from({ length: mostDots }, (_, index) => sorted[Math.round((index * last) / (mostDots - 1))] ?? 0);
}
