import { exampleOf, figuresOf, type GridTrial, verdictsOf } from '../../compare/grid-figures.ts';
import { groupedBy } from './chart-data.ts';
import { type RowPage, verdicts } from './page-data.ts';
import type { TrialRow } from './trial-row.ts';

/** The results of a trial for the grid of cases. */
export interface RowResults extends GridTrial {
  /** Null where none was observed or kept. */
  readonly input: string | null;
  readonly expected: string | null;
  readonly answer: string | null;
}

/** A case of the run under one variant. */
export interface CaseRow {
  readonly title: string;
  readonly rows: readonly TrialRow[];
  /** The first that did not pass, else the first one. */
  readonly example: TrialRow;
  readonly input: string | null;
  readonly expected: string | null;
  readonly answer: string | null;
  readonly evaluators: ReturnType<typeof verdictsOf>;
  readonly metrics: ReturnType<typeof figuresOf>;
}

/** The results of a page with names and repeated texts filled in. */
export function unpackResults({ rows, results, evaluators, metrics }: RowPage): RowResults[] {
  let [input, expected]: readonly (string | null)[] = [null, null];
  return results.map(([texts, answer, given, figures], index) => {
    if (texts !== 0) [input = null, expected = null] = texts;
    return {
      trialId: rows[index]?.[1] ?? '',
      input: input ?? null,
      expected: expected ?? null,
      answer,
      verdicts: pairsIn(given).map(
        ([name, verdict]) => [evaluators[name] ?? '', verdicts[verdict] ?? 'error'] as const,
      ),
      metrics: Object.fromEntries(pairsIn(figures).map(([name, value]) => [metrics[name ?? 0] ?? '', value])),
    };
  });
}

function pairsIn<Value extends number | null>(values: readonly Value[]): [number, Value][] {
  return values.flatMap((value, index): [number, Value][] =>
    index % 2 === 0 ? [] : [[values[index - 1] as number, value]],
  );
}

/** Cases under their variants in the order in which their first trials come, each with all its trials. */
export function casesOf(rows: readonly TrialRow[]): TrialRow[][] {
  const keyOf = ({ file, scenario, caseId, variantName }: TrialRow): string =>
    JSON.stringify([file, scenario, caseId, variantName]);
  return [...groupedBy(rows, keyOf).values()];
}

/** A case with its figures, as the grid of the pages counts them. */
export function caseRow(rows: readonly TrialRow[], resultsOf: (row: TrialRow) => RowResults | undefined): CaseRow {
  const example = exampleOf(rows);
  const results = rows.flatMap((row) => resultsOf(row) ?? []);
  const first = results.find(({ input }) => input !== null) ?? results[0];
  return {
    title: rows[0]?.title ?? '',
    rows,
    example,
    input: first?.input ?? null,
    expected: first?.expected ?? null,
    answer: resultsOf(example)?.answer ?? null,
    evaluators: verdictsOf(results),
    metrics: figuresOf(results),
  };
}
