import { formatDuration } from '../shared/durations.ts';
import { counted, grouped } from '../shared/numbers.ts';
import type { DecisionPlan, FigureAnswer, FigureUnit, MetricComparison } from './comparison.ts';

/** An answer as it stands in a table. */
export const answerWords: Readonly<Record<FigureAnswer, string>> = {
  better: 'better',
  worse: 'worse',
  higher: 'higher',
  lower: 'lower',
  'no-difference': 'no difference',
  'not-enough-data': 'not enough data',
};

/** A number with as many digits as say something: `1.23 M`, `1,234`, `12.3`, `0.0123`. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (size >= 999_500) return signed(value, `${Number((size / 1e6).toPrecision(3))} M`);
  if (size >= 100) return signed(value, grouped(Math.round(size)));
  if (size < 1e-9) return '0';
  return signed(value, size < 0.0001 ? size.toExponential(1) : String(Number(size.toPrecision(3))));
}

/** A value of a figure: shares in percent, everything else as it is. */
export function figureText(value: number, unit: FigureUnit): string {
  if (unit === 'share') return `${percentOf(value)} %`;
  return unit === 'usd' ? `$${shortNumber(value)}` : shortNumber(value);
}

/** A difference: shares in points of percent, with its sign. */
export function differenceText(value: number, unit: FigureUnit): string {
  const text = boundText(value, unit);
  return value > 0 && text !== '0' ? `+${text}` : text;
}

/** One end of an interval, in the same terms as the difference. */
export function boundText(value: number, unit: FigureUnit): string {
  return unit === 'share' ? percentOf(value) : shortNumber(value);
}

/** `-27 to -7`; a dash where there is too little for an interval. */
export function intervalText({ interval, unit }: MetricComparison): string {
  return interval ? `${boundText(interval.low, unit)} to ${boundText(interval.high, unit)}` : '-';
}

/** `pass rate 82 % → 65 % (−17 points, 95 % interval −27 to −7, 20 cases x 5)`. */
export function figureSentence(metric: MetricComparison): string {
  const { name, unit, meanA, meanB, difference } = metric;
  const change = `${differenceText(difference, unit)}${unit === 'share' ? ' points' : ''}`;
  const interval = metric.interval ? `95 % interval ${intervalText(metric)}` : 'too few cases for an interval';
  const told = name === 'pass-rate' ? 'pass rate' : name;
  return `${told} ${figureText(meanA, unit)} → ${figureText(meanB, unit)} (${change}, ${interval}, ${sampleText(metric)})`;
}

/** `20 cases x 5`, `20 cases x 3 to 5`. */
export function sampleText({ cases, repeats: { fewest, most } }: MetricComparison): string {
  return `${counted(cases, 'case')} x ${fewest === most ? fewest : `${fewest} to ${most}`}`;
}

/** The smallest difference that matters: `5 points`, `12.3`. */
export function smallestText({ smallestDifference, unit }: MetricComparison): string {
  const text = boundText(smallestDifference, unit);
  return unit === 'share' ? `${text} ${text === '1' ? 'point' : 'points'}` : unit === 'usd' ? `$${text}` : text;
}

/** What would decide a figure, in words. */
export function planText(metric: MetricComparison): string | undefined {
  const { plan, cases, repeats } = metric;
  if (!plan) return undefined;
  const toSee = `to see a difference of ${smallestText(metric)} four times in five`;
  if (plan.repeats !== null) {
    return `${counted(plan.repeats, 'repeat')} of each of the ${counted(cases, 'case')} ${toSee}${effortText(plan)}`;
  }
  if (!Number.isFinite(plan.cases)) return undefined;
  const each = repeats.fewest === 1 ? 'one try each' : `${repeats.fewest} repeats each`;
  return `${counted(plan.cases, 'case')} with ${each} ${toSee}${effortText(plan)}`;
}

/** What so many trials would take: `: 480 trials on both sides, about $4.80 and 2 h 10 min`. */
export function effortText({ trials, costUsd, durationMs }: DecisionPlan): string {
  if (trials === null) return '';
  const cost = costUsd === null || costUsd === 0 ? [] : [`$${shortNumber(costUsd)}`];
  const time = durationMs === null ? [] : [`${formatDuration(durationMs)} one after the other`];
  const effort = [...cost, ...time].join(' and ');
  return `: ${counted(trials, 'trial')} on both sides together${effort === '' ? '' : `, about ${effort}`}`;
}

function percentOf(share: number): string {
  const percent = share * 100;
  const digits = Math.abs(percent) < 9.95 && Math.abs(percent) >= 0.05 ? 1 : 0;
  const text = String(Number(Math.abs(percent).toFixed(digits)));
  return text === '0' ? '0' : signed(percent, text);
}

function signed(value: number, text: string): string {
  return value < 0 ? `−${text}` : text;
}
