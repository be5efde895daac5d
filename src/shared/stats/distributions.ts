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

/** The chance that a variable of Student's distribution lies farther from zero than a value, on either side. */
export function studentTwoSided(value: number, freedom: number): number {
  if (!Number.isFinite(value)) return 0;
  return incompleteBeta(freedom / (freedom + value * value), freedom / 2, 0.5);
}

/** The value that a variable of Student's distribution stays within, on both sides of zero, with this confidence. */
export function studentQuantile(confidence: number, freedom: number): number {
  const key = `${confidence} ${freedom}`;
  const cached = quantiles.get(key);
  if (cached !== undefined) return cached;
  if (quantiles.size >= mostKept) quantiles.clear();
  const found = computedQuantile(confidence, freedom);
  quantiles.set(key, found);
  return found;
}

/** Quantiles take long, and few different ones come again and again. */
const quantiles = new Map<string, number>();
const mostKept = 5_000;

function computedQuantile(confidence: number, freedom: number): number {
  const outside = 1 - confidence;
  let value = expanded(normalQuantile(1 - outside / 2), freedom);
  // Newton's method on the logarithm of the chance, which is nearly straight in the tails.
  for (let step = 0; step < 50; step++) {
    const chance = studentTwoSided(value, freedom);
    const change = (Math.log(chance / outside) * chance) / (2 * density(value, freedom));
    value = Math.max(value / 4, value + change);
    if (Math.abs(change) < 1e-12 * value) break;
  }
  return value;
}

/** The quantile by its expansion around that of the normal distribution. */
function expanded(z: number, freedom: number): number {
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  return z + first / freedom + second / freedom ** 2;
}

function density(value: number, freedom: number): number {
  const scale = logGamma((freedom + 1) / 2) - logGamma(freedom / 2) - 0.5 * Math.log(freedom * Math.PI);
  return Math.exp(scale - ((freedom + 1) / 2) * Math.log1p((value * value) / freedom));
}

/** The regularised incomplete beta function, by its continued fraction (Lentz). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)) / a;
  return front / betaFraction(x, a, b);
}

const tiny = 1e-300;

function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    const change = d * c;
    fraction *= change;
    if (Math.abs(change - 1) < 1e-14) break;
  }
  return 1 / fraction;
}

function away(value: number): number {
  return Math.abs(value) < tiny ? tiny : value;
}

/** Lanczos' approximation with g = 7. */
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(x: number): number {
  const base = x - 1;
  const t = base + 7.5;
  const sum = lanczos
    .slice(1)
    .reduce((total, coefficient, index) => total + coefficient / (base + index + 1), lanczos[0] ?? 1);
  return 0.5 * Math.log(2 * Math.PI) + (base + 0.5) * Math.log(t) - t + Math.log(sum);
}
