import { type Variant, variantParts } from '../../../domain/variant.ts';
import { comparePairs, type PairedCase } from '../../../shared/stats/compare-pairs.ts';
import { holm } from '../../../shared/stats/sign-test.ts';
import { meanOf } from '../../../shared/stats/spread.ts';
import type { CollectedSide } from '../collected-side.ts';
import { boundText, figureLabel, pointsText } from '../figure-words.ts';
import { definitionOf, type FigureOptions } from '../figures.ts';
import type { ComparedBy, PartInteraction } from './variant-table.ts';

type Tested = Omit<PartInteraction, 'adjustedP' | 'isCertain' | 'summary'> & { readonly pValue: number };

/** With more values there are more pairs of them than a reader can use. */
const mostValues = 6;

/**
 * Whether a change of the compared part does the same at every value of the other parts: the difference to the reference
 * at one value is compared with that at another, case by case. Holm over all that are looked at.
 */
export function partInteractions(
  reference: CollectedSide,
  others: readonly CollectedSide[],
  by: ComparedBy,
  question: string,
  options: FigureOptions,
): PartInteraction[] {
  const variants = new Set([reference, ...others].flatMap(({ cases }) => Array.from(cases, ({ variant }) => variant)));
  const parts = variantParts.filter(
    (part) => part !== by && new Set(Array.from(variants, (variant) => variant[part] ?? '')).size > 1,
  );
  const tested = others.flatMap((side) => parts.flatMap((part) => interactionsOf(reference, side, part, question)));
  const adjusted = holm(tested.map(({ pValue }) => pValue));
  return tested
    .map(({ pValue: _, ...one }, index) => {
      const adjustedP = adjusted[index] ?? 1;
      const isCertain = adjustedP <= 0.05 && one.interval !== undefined;
      const found = { ...one, adjustedP, isCertain };
      return { ...found, summary: sentenceOf(found, by, reference.label, question, options) };
    })
    .sort((a, b) => a.adjustedP - b.adjustedP);
}

function interactionsOf(a: CollectedSide, b: CollectedSide, part: keyof Variant, question: string): Tested[] {
  const byValue = differencesByValue(a, b, part, question);
  const values = [...byValue.keys()].slice(0, mostValues);
  return values.flatMap((first, index) =>
    values.slice(index + 1).flatMap((second): Tested[] => {
      const pairs = pairedDifferences(byValue.get(first) ?? new Map(), byValue.get(second) ?? new Map());
      const largest = question === 'pass-rate' ? 2 : undefined;
      const found = comparePairs(pairs, { largestDifference: largest ?? spreadOf(pairs) });
      if (!found) return [];
      const { meanA, meanB, difference, interval, pValue } = found;
      return [
        {
          part,
          label: b.label,
          values: [first, second],
          differences: [meanA, meanB],
          change: difference,
          interval,
          pValue,
          isOpposite: meanA * meanB < 0,
        },
      ];
    }),
  );
}

/** Differences of the means of each case, by the value of a part; the unit is that of comparisons. */
function differencesByValue(
  a: CollectedSide,
  b: CollectedSide,
  part: keyof Variant,
  question: string,
): ReadonlyMap<string, ReadonlyMap<string, { readonly unit: string; readonly difference: number }>> {
  const isByScenario = new Set([...a.cases, ...b.cases].map(({ scenario }) => scenario)).size > 1;
  const means = (side: CollectedSide): Map<string, number[]> => {
    const found = new Map<string, number[]>();
    for (const { scenario, caseId, variant, figures } of side.cases) {
      const key = JSON.stringify([variant[part] ?? '', scenario, caseId]);
      found.set(key, [...(found.get(key) ?? []), ...(figures.get(question) ?? [])]);
    }
    return found;
  };
  const [before, after] = [means(a), means(b)];
  const found = new Map<string, Map<string, { unit: string; difference: number }>>();
  for (const [key, values] of after) {
    const others = before.get(key) ?? [];
    if (values.length === 0 || others.length === 0) continue;
    const [value, scenario, caseId] = JSON.parse(key) as [string, string, string];
    const cases = found.get(value) ?? new Map();
    found.set(value, cases);
    const unit = isByScenario ? scenario : caseId;
    cases.set(JSON.stringify([scenario, caseId]), { unit, difference: meanOf(values) - meanOf(others) });
  }
  return found;
}

function pairedDifferences(
  first: ReadonlyMap<string, { readonly unit: string; readonly difference: number }>,
  second: ReadonlyMap<string, { readonly unit: string; readonly difference: number }>,
): PairedCase[] {
  return [...first].flatMap(([key, { unit, difference }]) => {
    const other = second.get(key);
    return other ? [{ unit, a: [difference], b: [other.difference] }] : [];
  });
}

/** Of a figure without a bound: as far apart as anything that was observed. */
function spreadOf(pairs: readonly PairedCase[]): number {
  return 2 * pairs.reduce((most, { a, b }) => Math.max(most, Math.abs(a[0] ?? 0), Math.abs(b[0] ?? 0)), 0);
}

function sentenceOf(
  found: Omit<PartInteraction, 'summary'>,
  by: ComparedBy,
  reference: string,
  question: string,
  options: FigureOptions,
): string {
  const { label, part, values, differences, change, interval } = found;
  const { unit } = definitionOf(question, options);
  const [first, second] = values.map((value) => (value === '' ? `(no ${part})` : value));
  const range = interval
    ? `95 % interval ${boundText(interval.low, unit)} to ${boundText(interval.high, unit)}`
    : 'too few cases for an interval';
  const at = `${pointsText(differences[0], unit)} with ${part} ${first} and ${pointsText(differences[1], unit)} with ${part} ${second}`;
  return `${by} ${label} instead of ${reference} changes the ${figureLabel(question)} by ${at} (${pointsText(change, unit)}, ${range}).`;
}
