import { normalQuantile } from './normal.ts';

/** The chance that a variable of Student's distribution lies farther from zero than a value, on either side. */
export function studentTwoSided(value: number, freedom: number): number {
  if (!Number.isFinite(value)) return 0;
  return incompleteBeta(freedom / (freedom + value * value), freedom / 2, 0.5);
}

/** The value that a variable of Student's distribution stays within, on both sides of zero, with this confidence. */
export function studentQuantile(confidence: number, freedom: number): number {
  const key = `${confidence} ${freedom}`;
  const known = quantiles.get(key);
  if (known !== undefined) return known;
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
