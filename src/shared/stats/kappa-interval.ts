import type { Interval } from './interval.ts';
import { seededRandom } from './seeded-random.ts';

const draws = 2_000;
/** A little less than 2.5 %, because few ratings give few different tables. */
const tail = 0.02;
const seed = 20_261_115;

type Table = readonly (readonly number[])[];

/**
 * 95 % interval for a measure of a square table of counts: its range over tables that could have given these counts
 * (Dirichlet, with a seed of its own). What is put into each cell beforehand, one rating on the diagonal and half of one
 * beside it, keeps the interval from shrinking to a point where nobody disagreed.
 */
export function tableInterval(table: Table, measure: (table: Table) => number | undefined): Interval {
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

/** A draw of the gamma distribution (Marsaglia and Tsang 2000). */
function gammaDraw(shape: number, random: () => number): number {
  if (shape < 1) return gammaDraw(shape + 1, random) * random() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const cube = (1 + c * x) ** 3;
    if (cube > 0 && Math.log(1 - random()) < (x * x) / 2 + d - d * cube + d * Math.log(cube)) return d * cube;
  }
}
