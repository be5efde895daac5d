import { seededRandom } from '../seeded-random.ts';
import { gammaDraw } from './gamma-draw.ts';
import type { Interval } from './pass-rate.ts';
import { sumOf } from './spread.ts';

const draws = 2_000;
/** A little less than 2.5 %, because few ratings give few different tables. */
const tail = 0.02;
const seed = 20_261_115;

type Table = readonly (readonly number[])[];

/**
 * 95 % interval for a measure of a square table of counts: its range over tables that could have given these counts
 * (Dirichlet, with its own seed). What is put into each cell beforehand, one rating on the diagonal and half of one
 * beside it, keeps the interval from shrinking to a point where the raters never disagreed.
 */
function tableInterval(table: Table, measure: (table: Table) => number | undefined): Interval {
  const random = seededRandom(seed);
  const size = table.length;
  const beside = 0.5 / Math.max(1, size * (size - 1));
  const found = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw++) {
    const drawn = table.map((counts, row) =>
      counts.map((count, column) => gammaDraw(count + (row === column ? 1 / size : beside), random)),
    );
    found[draw] = measure(drawn) ?? 1;
  }
  found.sort();
  const isPerfect = table.every((counts, row) => counts.every((count, column) => row === column || count === 0));
  const high = isPerfect ? 1 : (found[Math.ceil((1 - tail) * draws) - 1] ?? 1);
  return { low: found[Math.floor(tail * draws)] ?? -1, high };
}

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
  const total = sumOf(table.map(sumOf));
  const share = (row: number, column: number): number => (table[row]?.[column] ?? 0) / total;
  const categories = table.map((_, index) => index);
  const rows = categories.map((row) => sumOf(categories.map((column) => share(row, column))));
  const columns = categories.map((column) => sumOf(categories.map((row) => share(row, column))));
  const margin = (shares: readonly number[], index: number): number => shares[index] ?? 0;
  const observed = sumOf(categories.map((index) => share(index, index)));
  const expected = sumOf(categories.map((index) => margin(rows, index) * margin(columns, index)));
  if (total === 0 || expected === 1) return undefined;
  const kappa = (observed - expected) / (1 - expected);

  const onDiagonal = sumOf(
    categories.map(
      (index) => share(index, index) * (1 - (margin(rows, index) + margin(columns, index)) * (1 - kappa)) ** 2,
    ),
  );
  const offDiagonal = sumOf(
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
