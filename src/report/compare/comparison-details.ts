import { withRoom } from '../../shared/number-column.ts';
import { filteredRows, type Rows } from '../../shared/rows.ts';
import { mean } from '../../shared/stats/spread.ts';
import { unchangedCases } from './changed-cases.ts';
import type { CasePair, CollectedCase } from './collected-side.ts';
import type { ComparisonDetails, FigureDots, MetricComparison, SideDots } from './comparison.ts';

/** With more dots on a side no picture is clearer. */
const mostDots = 300;
const mostUnchanged = 200;

/** Values and cases for the pictures and lists of a page. */
export function comparisonDetails(pairs: Rows<CasePair>, metrics: readonly MetricComparison[]): ComparisonDetails {
  const { cases, count } = unchangedCases(pairs, mostUnchanged);
  return { dots: metrics.map((metric) => figureDots(metric, pairs)), unchangedCases: cases, unchangedCount: count };
}

function figureDots({ name, unit }: MetricComparison, pairs: Rows<CasePair>): FigureDots {
  const of = unit === 'share' ? 'case' : 'trial';
  // Only the pairs that have the figure on both sides are compared, so only these are drawn.
  const both = filteredRows(pairs, ({ a, b }) => Boolean(a?.figures.has(name) && b?.figures.has(name)));
  const sideOf = (side: 'a' | 'b'): SideDots | null => sideDots(valuesIn(both, side, name, of));
  return { name, unit, of, a: sideOf('a'), b: sideOf('b') };
}

function valuesIn(pairs: Rows<CasePair>, side: 'a' | 'b', name: string, of: FigureDots['of']): Float64Array {
  let values: Float64Array = new Float64Array(8);
  let count = 0;
  for (const pair of pairs) {
    for (const value of valuesOf(pair[side], name, of)) {
      values = withRoom(values, count);
      values[count++] = value;
    }
  }
  return values.subarray(0, count).sort();
}

function valuesOf(one: CollectedCase | undefined, name: string, of: FigureDots['of']): readonly number[] {
  const values = one?.figures.get(name) ?? [];
  return of === 'case' && values.length > 0 ? [mean(values)] : values;
}

function sideDots(sorted: Float64Array): SideDots | null {
  const [lower, upper] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  if (lower === undefined || upper === undefined) return null;
  return { values: spreadOf(sorted), total: sorted.length, median: (lower + upper) / 2 };
}

/** Evenly chosen by rank: the shape and both ends stay. */
function spreadOf(sorted: Float64Array): readonly number[] {
  if (sorted.length <= mostDots) return [...sorted];
  const last = sorted.length - 1;
  return Array.from({ length: mostDots }, (_, index) => sorted[Math.round((index * last) / (mostDots - 1))] ?? 0);
}
