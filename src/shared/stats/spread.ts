/** Where figures lie and how far apart. */
export interface Spread {
  readonly mean: number;
  /** Of a sample: divided by n - 1; 0 for a single figure. */
  readonly standardDeviation: number;
  readonly min: number;
  readonly max: number;
}

export function sumOf(figures: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < figures.length; index++) sum += figures[index] ?? 0;
  return sum;
}

/** Arithmetic mean for further calculation; figures must not be empty. */
export function meanOf(figures: readonly number[]): number {
  return sumOf(figures) / figures.length;
}

/** Variance of a sample, divided by n - 1; 0 for a single figure. */
export function varianceOf(figures: readonly number[]): number {
  if (figures.length < 2) return 0;
  const centre = meanOf(figures);
  return sumOf(figures.map((figure) => (figure - centre) ** 2)) / (figures.length - 1);
}

/** The arithmetic mean for reports, without the dust that adding fractions leaves; figures must not be empty. */
export function mean(figures: readonly number[]): number {
  return Number(meanOf(figures).toFixed(9));
}

/** The mean for reports; null for no figures. */
export function meanOrNull(figures: readonly number[]): number | null {
  return figures.length === 0 ? null : mean(figures);
}

/** Mean, sample standard deviation and extremes; figures must not be empty. */
export function spreadOf(figures: readonly number[]): Spread {
  return {
    mean: mean(figures),
    standardDeviation: Math.sqrt(varianceOf(figures)),
    min: Math.min(...figures),
    max: Math.max(...figures),
  };
}
