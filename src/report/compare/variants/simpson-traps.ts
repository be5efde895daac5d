import { variantParts } from '../../../domain/variant.ts';
import { filteredRows, type Rows } from '../../../shared/rows.ts';
import type { CollectedCase, CollectedSide } from '../collected-side.ts';
import type { MetricComparison } from '../comparison.ts';
import { figureLabel, pointsText } from '../figure-words.ts';
import type { ComparedBy, SimpsonTrap } from './variant-table.ts';

/**
 * Totals that say the opposite of their parts (Simpson's paradox). It takes variants that were not tried equally often on
 * equally hard cases: the differences of the table are made case by case and do not show it, totals elsewhere do.
 */
export function simpsonTraps(
  reference: CollectedSide,
  side: CollectedSide,
  by: ComparedBy,
  metric: MetricComparison,
): SimpsonTrap[] {
  const total = pooledDifference(reference.cases, side.cases, metric.name);
  if (total === undefined) return [];
  const groupings: readonly { readonly by: SimpsonTrap['by']; readonly keyOf: (one: CollectedCase) => string }[] = [
    { by: 'scenario', keyOf: ({ scenario }) => scenario },
    ...variantParts
      .filter((part) => part !== by)
      .map((part) => ({ by: part, keyOf: ({ variant }: CollectedCase) => variant[part] ?? '' })),
  ];
  const found = groupings.flatMap((grouping) => {
    const groups = groupDifferences(reference, side, metric.name, grouping.keyOf);
    const nearest = groups.reduce((least, each) => (Math.abs(each) < Math.abs(least) ? each : least), groups[0] ?? 0);
    if (groups.length < 2 || !groups.every((each) => isReversed(total, each, metric))) return [];
    return [trapOf(side.label, reference.label, grouping.by, total, nearest, metric)];
  });
  if (found.length > 0 || !isReversed(total, metric.difference, metric)) return found;
  return [trapOf(side.label, reference.label, 'cases', total, metric.difference, metric)];
}

/** The signs differ, and not by less than matters. */
function isReversed(total: number, part: number, { smallestDifference }: MetricComparison): boolean {
  return total * part < 0 && Math.abs(total - part) >= smallestDifference;
}

function trapOf(
  label: string,
  reference: string,
  by: SimpsonTrap['by'],
  pooled: number,
  paired: number,
  { name, unit, isHigherBetter }: MetricComparison,
): SimpsonTrap {
  const looks = (difference: number): string => {
    if (isHigherBetter === null) return difference > 0 ? 'higher' : 'lower';
    return difference > 0 === isHigherBetter ? 'better' : 'worse';
  };
  const figure = figureLabel(name);
  const where = by === 'cases' ? 'case by case' : `within each ${by}`;
  const size = by === 'cases' ? pointsText(paired, unit) : `${pointsText(paired, unit)} or more`;
  const summary = `${label} looks ${looks(pooled)} than ${reference} over all trials together (${figure} ${pointsText(pooled, unit)}), but is ${looks(paired)} ${where} (${size}): they were not tried equally often on the same cases.`;
  return { label, by, pooled, paired, summary };
}

function groupDifferences(
  a: CollectedSide,
  b: CollectedSide,
  name: string,
  keyOf: (one: CollectedCase) => string,
): number[] {
  const keys = new Set(Array.from(b.cases, keyOf));
  return [...keys].flatMap((key) => {
    const of = ({ cases }: CollectedSide): Rows<CollectedCase> => filteredRows(cases, (one) => keyOf(one) === key);
    return pooledDifference(of(a), of(b), name) ?? [];
  });
}

/** Of the means over all trials, as a total would have it. */
function pooledDifference(a: Iterable<CollectedCase>, b: Iterable<CollectedCase>, name: string): number | undefined {
  const [before, after] = [pooledMean(a, name), pooledMean(b, name)];
  return before === undefined || after === undefined ? undefined : after - before;
}

function pooledMean(cases: Iterable<CollectedCase>, name: string): number | undefined {
  let [sum, count] = [0, 0];
  for (const { figures } of cases) {
    for (const value of figures.get(name) ?? []) {
      sum += value;
      count++;
    }
  }
  return count === 0 ? undefined : sum / count;
}
