import { wholePercent } from '../../shared/format.ts';
import type { ComparisonOfRows, MetricComparison } from './comparison.ts';
import { answerTexts, figureText } from './figure-words.ts';

/** A change of a mean that is worth a look, whatever the statistics say about it; it never fails a check. */
export interface RegressionWarning {
  readonly rule: 'score-drop' | 'cost-rise';
  readonly figure: string;
  readonly before: number;
  readonly now: number;
  /** Relative to `before`: -0.2 is a fall by 20 %; null where `before` is 0. */
  readonly change: number | null;
  readonly message: string;
}

const scores: ReadonlySet<string> = new Set(['pass-rate', 'judge-score', 'composite-score', 'workflow-score']);
const largestDrop = 0.15;
const largestCostRise = 0.5;
/** Means are sums of floating-point numbers: a fall by exactly 15 % is not more than 15 %. */
const rounding = 1e-9;

/** Warns about scores that fell by more than 15 % and a cost that rose by more than 50 %, beside the answers to both questions. */
export function regressionWarnings({ metrics }: ComparisonOfRows): RegressionWarning[] {
  return metrics.flatMap((metric) => {
    if (scores.has(metric.name)) return scoreDrop(metric);
    return metric.name === 'cost-usd' ? costRise(metric) : [];
  });
}

function scoreDrop(metric: MetricComparison): RegressionWarning[] {
  const { name, meanA, meanB, unit } = metric;
  if (meanA <= 0 || meanB >= meanA * (1 - largestDrop) - rounding) return [];
  const change = meanB / meanA - 1;
  // A share is in percent itself, so percent of it would read like its difference.
  const fall = unit === 'share' ? `${Math.round((meanA - meanB) * 100)} points` : wholePercent(-change);
  return [warningOf('score-drop', metric, change, `${wordOf(name)} fell by ${fall}`)];
}

function costRise(metric: MetricComparison): RegressionWarning[] {
  const { meanA, meanB } = metric;
  if (meanB <= meanA * (1 + largestCostRise) + rounding) return [];
  const change = meanA === 0 ? null : meanB / meanA - 1;
  const rise = change === null ? 'from nothing' : `by ${wholePercent(change)}`;
  return [warningOf('cost-rise', metric, change, `cost per trial rose ${rise}`)];
}

function warningOf(
  rule: RegressionWarning['rule'],
  metric: MetricComparison,
  change: number | null,
  subject: string,
): RegressionWarning {
  const { name: figure, meanA: before, meanB: now, unit } = metric;
  const values = `${figureText(before, unit)} → ${figureText(now, unit)}`;
  const message = `${subject}: ${values} (${answerTexts(metric)})`;
  return { rule, figure, before, now, change, message };
}

function wordOf(name: string): string {
  return name.replace('-', ' ');
}
