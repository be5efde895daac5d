import type { FigureUnit, MetricComparison } from '../../../../src/report/compare/comparison.ts';
import { boundText, figureText, intervalText as rangeText } from '../../../../src/report/compare/figure-words.ts';
import { formatDuration } from '../../../../src/shared/format.ts';

/** A value of a figure; durations as people read them. */
export function valueText(value: number, unit: FigureUnit): string {
  return unit === 'ms' ? formatDuration(value) : figureText(value, unit);
}

/** A difference with its sign; shares in points. */
export function differenceText(value: number, unit: FigureUnit): string {
  return `${signed(value, unit)}${unit === 'share' ? ' points' : ''}`;
}

/** `−27 to +7`; empty where there is too little for an interval. */
export function intervalText(metric: MetricComparison): string {
  const { interval, unit, typical } = metric;
  if (typical) return typical.interval ? rangeText(metric) : '';
  return interval ? `${signed(interval.low, unit)} to ${signed(interval.high, unit)}` : '';
}

function signed(value: number, unit: FigureUnit): string {
  const size = Math.abs(value);
  const text = unit === 'ms' ? formatDuration(size) : `${unit === 'usd' ? '$' : ''}${boundText(size, unit)}`;
  if (/^\D*0( ms)?$/.test(text)) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}
