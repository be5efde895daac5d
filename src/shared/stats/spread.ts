/** Where figures lie and how far apart. */
export interface Spread {
  readonly mean: number;
  /** Of a sample: divided by n - 1; 0 for a single figure. */
  readonly standardDeviation: number;
  readonly min: number;
  readonly max: number;
}

/** The arithmetic mean, without the dust that adding fractions leaves; figures must not be empty. */
export function mean(figures: readonly number[]): number {
  return Number((figures.reduce((sum, figure) => sum + figure, 0) / figures.length).toFixed(9));
}

/** Mean, sample standard deviation and extremes; figures must not be empty. */
export function spreadOf(figures: readonly number[]): Spread {
  const centre = mean(figures);
  const squares = figures.reduce((sum, figure) => sum + (figure - centre) ** 2, 0);
  return {
    mean: centre,
    standardDeviation: figures.length < 2 ? 0 : Math.sqrt(squares / (figures.length - 1)),
    min: Math.min(...figures),
    max: Math.max(...figures),
  };
}
