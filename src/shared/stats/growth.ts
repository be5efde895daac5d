import { studentQuantile } from './distributions.ts';
import { mean } from './spread.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** How much a figure grows per step, with its 95 % interval. */
export interface Growth {
  readonly perStep: number;
  readonly low: number;
  readonly high: number;
  readonly points: number;
}

/** Fewer points show no direction. */
export const fewestGrowthPoints = 20;
/** Neighbouring figures that are nearly the same say nearly nothing new; a share of 1 would divide by zero. */
const mostAlike = 0.95;

/**
 * Slope of the line through the points. Figures that follow each other are alike, so the interval is widened by how
 * alike they are, and it is never narrower than the resolution of the figures allows. Undefined with too few points.
 */
export function growthOf(points: readonly Point[], resolution: number): Growth | undefined {
  if (points.length < fewestGrowthPoints) return undefined;
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const spreadX = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (spreadX === 0) return undefined;
  const perStep = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spreadX;
  const residuals = points.map(({ x, y }) => y - meanY - perStep * (x - meanX));
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  const freedom = points.length - 2;
  const alike = likenessOf(residuals, squares);
  const standardError = Math.sqrt((squares / freedom / spreadX) * ((1 + alike) / (1 - alike)));
  const span = Math.max(...points.map(({ x }) => x)) - Math.min(...points.map(({ x }) => x));
  const margin = Math.max(studentQuantile(0.95, freedom) * standardError, resolution / span);
  return { perStep, low: perStep - margin, high: perStep + margin, points: points.length };
}

/** Correlation of each residual with the next, from 0. */
function likenessOf(residuals: readonly number[], squares: number): number {
  if (squares === 0) return 0;
  const products = residuals.slice(1).reduce((sum, residual, index) => sum + residual * (residuals[index] ?? 0), 0);
  return Math.min(Math.max(products / squares, 0), mostAlike);
}
