/** The range in which the true value lies, at the confidence of its quantile. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The quantile of the normal distribution that gives 95 % intervals. */
export const z95 = 1.959963984540054;
