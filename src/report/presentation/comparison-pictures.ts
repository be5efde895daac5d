import type { FigureDots, MetricComparison, SideDots } from '../compare/comparison.ts';
import { boundText, figureLabel, figureText } from '../compare/figure-words.ts';
import { niceScale, type Scale } from './chart-scale.ts';
import type { Drawing, DrawnShape } from './drawing.ts';

const width = 560;
const foot = 22;
const intervalRow = 34;

/** An estimate with its interval, on a scale on which 0 means no difference. */
export interface DrawnDifference {
  readonly label: string;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** Differences of shares from A to B. */
export function shareDifferences(metrics: readonly MetricComparison[]): DrawnDifference[] {
  return metrics.flatMap(({ name, unit, difference, interval }) =>
    unit === 'share' && interval ? [{ label: figureLabel(name), estimate: difference, ...interval }] : [],
  );
}

/** Relative changes of figures that are compared by the ratio of typical trials. */
export function ratioDifferences(metrics: readonly MetricComparison[]): DrawnDifference[] {
  return metrics.flatMap(({ name, typical }) => {
    if (!typical?.interval) return [];
    const { low, high } = typical.interval;
    return [{ label: figureLabel(name), estimate: typical.ratio - 1, low: low - 1, high: high - 1 }];
  });
}

/** Differences with their intervals, one below the other; the broken line means no difference. */
export function differencesDrawing(title: string, rows: readonly DrawnDifference[]): Drawing {
  const height = rows.length * intervalRow + foot;
  const values = rows.flatMap(({ estimate, low, high }) => [estimate, low, high]);
  const scale = niceScale([0, ...values], 24, width - 24, 5);
  const zero = scale.place(0);
  const format = (value: number): string => boundText(value, 'share');
  return {
    title,
    width,
    height,
    shapes: [
      ...axis(scale, height, format),
      ['line', { x1: zero, x2: zero, y1: 0, y2: height - foot, class: 'zero' }],
      ...rows.flatMap((row, index) => intervalShapes(row, index * intervalRow, scale.place, format)),
    ],
  };
}

function intervalShapes(
  { label, estimate, low, high }: DrawnDifference,
  top: number,
  place: Scale['place'],
  format: (value: number) => string,
): DrawnShape[] {
  const y = top + 24;
  const look = low > 0 || high < 0 ? 'clear' : 'unclear';
  const text = `${label}: ${format(estimate)} (${format(low)} to ${format(high)})`;
  const bar = (at: number): DrawnShape => ['line', { x1: at, x2: at, y1: y - 4, y2: y + 4, class: look }];
  return [
    ['text', { x: 0, y: top + 13, class: 'name' }, label],
    ['line', { x1: place(low), x2: place(high), y1: y, y2: y, class: look }, text],
    bar(place(low)),
    bar(place(high)),
    ['circle', { cx: place(estimate), cy: y, r: 4, class: look }, text],
  ];
}

function axis({ ticks, place }: Scale, height: number, format: (value: number) => string): DrawnShape[] {
  return ticks.flatMap((tick): DrawnShape[] => {
    const x = place(tick);
    return [
      ['line', { x1: x, x2: x, y1: 0, y2: height - foot, class: 'grid' }],
      ['text', { x, y: height - 6, 'text-anchor': 'middle' }, format(tick)],
    ];
  });
}

const dotRow = 92;
const radius = 3.5;

/** Whether dots show more than one value on two sides. */
export function isDrawable({ a, b }: FigureDots): boolean {
  return a !== null && b !== null && new Set([...a.values, ...b.values]).size > 1;
}

/** Every value of a figure as a dot, one row for each side on one scale; equal values stand above each other. */
export function dotsDrawing(dots: FigureDots, means: Pick<MetricComparison, 'meanA' | 'meanB'> | undefined): Drawing {
  const sides = [
    { label: 'A, before', values: valuesOf(dots.a), mean: means?.meanA, look: 'unclear' },
    { label: 'B, new', values: valuesOf(dots.b), mean: means?.meanB, look: 'clear' },
  ];
  const height = sides.length * dotRow + foot;
  const scale = niceScale(
    sides.flatMap(({ values, mean }) => [...values, ...(mean === undefined ? [] : [mean])]),
    30,
    width - 30,
    6,
  );
  const format = (value: number): string => figureText(value, dots.unit);
  return {
    title: `${figureLabel(dots.name)} of every ${dots.of}`,
    width,
    height,
    shapes: [
      ...axis(scale, height, format),
      ...sides.flatMap(({ label, values, mean, look }, index): DrawnShape[] => {
        const [top, base] = [index * dotRow, (index + 1) * dotRow - 10];
        return [
          ['text', { x: 0, y: top + 13, class: 'name' }, label],
          ...dotShapes(values, base, scale.place, look, format),
          ...(mean === undefined ? [] : [meanShape(scale.place(mean), top + 18, base + 4, `mean ${format(mean)}`)]),
        ];
      }),
    ],
  };
}

function valuesOf(side: SideDots | null): readonly number[] {
  return side?.values ?? [];
}

function meanShape(x: number, y1: number, y2: number, text: string): DrawnShape {
  return ['line', { x1: x, x2: x, y1, y2, class: 'mean' }, text];
}

/** None hides another; where there are many, dots move together to fit the row. */
function dotShapes(
  values: readonly number[],
  base: number,
  place: Scale['place'],
  look: string,
  format: (value: number) => string,
): DrawnShape[] {
  const levels = new Map<number, number>();
  const placed = values.map((value) => {
    const column = Math.round(place(value) / (2 * radius));
    const level = levels.get(column) ?? 0;
    levels.set(column, level + 1);
    return { value, level };
  });
  const step = Math.min(2 * radius, (dotRow - 38) / Math.max(1, ...levels.values()));
  return placed.map(({ value, level }) => [
    'circle',
    { cx: tenths(place(value)), cy: tenths(base - radius - level * step), r: radius, class: look },
    format(value),
  ]);
}

/** Finer places cannot be seen, and every digit is in the page hundreds of times. */
function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
