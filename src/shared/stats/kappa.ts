import type { Interval } from './interval.ts';
import { tableInterval } from './kappa-interval.ts';

/** Agreement of two raters beyond chance. */
export interface Kappa {
  readonly kappa: number;
  /** Asymptotic, of the estimate itself (Fleiss, Cohen and Everitt 1969), not under the hypothesis of no agreement. */
  readonly standardError: number;
  /** 95 %; not a point where the raters agree throughout, because so few ratings can have missed a disagreement. */
  readonly interval: Interval;
}

/**
 * Cohen's kappa of a square table of counts: rows one rater, columns the other. Undefined when chance alone explains
 * everything, that is when both raters used one and the same category, or when nothing was rated.
 */
export function cohenKappa(table: readonly (readonly number[])[]): Kappa | undefined {
  const total = sum(table.map(sum));
  const share = (row: number, column: number): number => (table[row]?.[column] ?? 0) / total;
  const categories = table.map((_, index) => index);
  const rows = categories.map((row) => sum(categories.map((column) => share(row, column))));
  const columns = categories.map((column) => sum(categories.map((row) => share(row, column))));
  const margin = (shares: readonly number[], index: number): number => shares[index] ?? 0;
  const observed = sum(categories.map((index) => share(index, index)));
  const expected = sum(categories.map((index) => margin(rows, index) * margin(columns, index)));
  if (total === 0 || expected === 1) return undefined;
  const kappa = (observed - expected) / (1 - expected);

  const onDiagonal = sum(
    categories.map(
      (index) => share(index, index) * (1 - (margin(rows, index) + margin(columns, index)) * (1 - kappa)) ** 2,
    ),
  );
  const offDiagonal = sum(
    categories.flatMap((row) =>
      categories.map((column) =>
        row === column ? 0 : share(row, column) * (margin(columns, row) + margin(rows, column)) ** 2,
      ),
    ),
  );
  const variance = onDiagonal + (1 - kappa) ** 2 * offDiagonal - (kappa - expected * (1 - kappa)) ** 2;
  const standardError = Math.sqrt(Math.max(variance, 0) / total) / (1 - expected);
  return { kappa, standardError, interval: tableInterval(table, kappaOf) };
}

/** Kappa itself; undefined where chance alone explains everything. */
function kappaOf(table: readonly (readonly number[])[]): number | undefined {
  let [total, agreed] = [0, 0];
  const rows = table.map(() => 0);
  const columns = table.map(() => 0);
  for (const [row, counts] of table.entries()) {
    for (const [column, count] of counts.entries()) {
      total += count;
      rows[row] = (rows[row] ?? 0) + count;
      columns[column] = (columns[column] ?? 0) + count;
      if (row === column) agreed += count;
    }
  }
  const expected = rows.reduce((sum, count, index) => sum + count * (columns[index] ?? 0), 0) / total ** 2;
  return expected === 1 ? undefined : (agreed / total - expected) / (1 - expected);
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}
