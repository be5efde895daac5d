const edge = 0.02425;

/** Coefficients of rational approximations to the inverse of the normal distribution (P. J. Acklam). */
const middleTop = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
];
const middleBottom = [
  -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1,
];
const tailTop = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const tailBottom = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];

/** The value that a standard normal variable stays below with this chance. */
export function normalQuantile(chance: number): number {
  if (chance <= 0) return Number.NEGATIVE_INFINITY;
  if (chance >= 1) return Number.POSITIVE_INFINITY;
  if (chance > 0.5) return -normalQuantile(1 - chance);
  return refined(chance < edge ? tailQuantile(chance) : middleQuantile(chance), chance);
}

/** The chance that a standard normal variable stays below a value. */
export function normalCdf(value: number): number {
  return 0.5 * complementaryError(-value / Math.SQRT2);
}

function middleQuantile(chance: number): number {
  const distance = chance - 0.5;
  const square = distance * distance;
  return (polynomial(middleTop, square) * distance) / polynomial(middleBottom, square);
}

function tailQuantile(chance: number): number {
  const distance = Math.sqrt(-2 * Math.log(chance));
  return polynomial(tailTop, distance) / polynomial(tailBottom, distance);
}

/** One step of Halley's method, which takes the approximation to the precision of the machine. */
function refined(value: number, chance: number): number {
  const error = normalCdf(value) - chance;
  const step = error * Math.sqrt(2 * Math.PI) * Math.exp((value * value) / 2);
  return value - step / (1 + (value * step) / 2);
}

/** By a series near zero, by a continued fraction far from it. */
function complementaryError(x: number): number {
  if (x < 0) return 2 - complementaryError(-x);
  if (x > 27) return 0;
  return x < 2.5 ? 1 - errorSeries(x) : errorFraction(x);
}

function errorSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let index = 1; Math.abs(term) > 1e-17 * Math.abs(sum) && index < 200; index++) {
    term *= (-x * x) / index;
    sum += term / (2 * index + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

function errorFraction(x: number): number {
  let fraction = 0;
  for (let index = 60; index >= 1; index--) fraction = index / 2 / (x + fraction);
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * (x + fraction));
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((value, coefficient) => value * x + coefficient, 0);
}
