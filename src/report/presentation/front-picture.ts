import { figureLabel, figureText } from '../compare/figure-words.ts';
import type { FrontFigure, VariantTable } from '../compare/variants/variant-table.ts';
import { estimateText, figureIn, frontNames, frontText } from '../compare/variants/variant-words.ts';
import { niceScale } from './chart-scale.ts';

/** A variant as a point, with the ends of its intervals; all in pixels. */
interface FrontPoint {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly isOnFront: boolean;
  /** The point in words. */
  readonly text: string;
}

interface Tick {
  readonly at: number;
  readonly text: string;
}

/** The Pareto front of quality against what it takes, ready to be drawn. */
export interface FrontPicture {
  readonly against: FrontFigure;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly points: readonly FrontPoint[];
  /** Corners of the front, from the cheapest to the best; between two the cheaper one is the best there is. */
  readonly line: readonly (readonly [x: number, y: number])[];
}

/** The room around the drawing. */
const room = { left: 56, right: 24, top: 16, bottom: 36 } as const;

/** Undefined with fewer than two points: then there is nothing to weigh. */
export function frontPicture(
  { variants, question }: Pick<VariantTable, 'variants' | 'question'>,
  against: FrontFigure,
  width: number,
  height: number,
): FrontPicture | undefined {
  const placed = variants.flatMap((row) => {
    const [quality, spent] = [figureIn(row, question), figureIn(row, against)];
    const place = row.front.find((each) => each.against === against);
    return quality && spent && place ? [{ label: row.label, quality, spent, place }] : [];
  });
  const [first] = placed;
  if (!first || placed.length < 2) return undefined;
  const ends = (figure: { mean: number; interval: { low: number; high: number } | undefined }): number[] =>
    figure.interval ? [figure.mean, figure.interval.low, figure.interval.high] : [figure.mean];
  const xScale = niceScale([0, ...placed.flatMap(({ spent }) => ends(spent))], room.left, width - room.right);
  const yScale = niceScale(
    placed.flatMap(({ quality }) => ends(quality)),
    height - room.bottom,
    room.top,
  );
  const points = placed.map(({ label, quality, spent, place }) => ({
    label,
    x: xScale.place(spent.mean),
    y: yScale.place(quality.mean),
    left: xScale.place(spent.interval?.low ?? spent.mean),
    right: xScale.place(spent.interval?.high ?? spent.mean),
    top: yScale.place(quality.interval?.high ?? quality.mean),
    bottom: yScale.place(quality.interval?.low ?? quality.mean),
    isOnFront: place.isOnFront,
    text: `${label}: ${figureLabel(question)} ${estimateText(quality)}, ${frontNames[against]} ${estimateText(spent)}, ${frontText(place)}`,
  }));
  return {
    against,
    title: `${figureLabel(question)} against ${frontNames[against]} of a trial`,
    width,
    height,
    xTicks: xScale.ticks.map((tick) => ({ at: xScale.place(tick), text: figureText(tick, first.spent.unit) })),
    yTicks: yScale.ticks.map((tick) => ({ at: yScale.place(tick), text: figureText(tick, first.quality.unit) })),
    points,
    line: stepsThrough(points.filter(({ isOnFront }) => isOnFront)),
  };
}

function stepsThrough(points: readonly FrontPoint[]): (readonly [number, number])[] {
  const sorted = points.toSorted((a, b) => a.x - b.x);
  return sorted.flatMap(({ x, y }, index): (readonly [number, number])[] => {
    const before = sorted[index - 1];
    return before
      ? [
          [x, before.y],
          [x, y],
        ]
      : [[x, y]];
  });
}
