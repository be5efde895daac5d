import { useState } from 'react';
import { niceScale, type Scale } from '../../../src/report/presentation/chart-scale.ts';
import { ColumnTargets, FigureFrame, Grid, plot } from './chart-plot.tsx';
import { classes } from './classes.ts';
import { dayAndTime } from './when-text.ts';

export interface TrendPoint {
  readonly x: number;
  readonly y: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  readonly label: string;
  readonly href?: string;
}

const { left, right, top, bottom } = plot;

interface TrendChartProps {
  readonly points: readonly TrendPoint[];
  readonly format: (value: number) => string;
  readonly label: string;
  readonly height?: number;
  /** Values that the scale always holds, such as 0 and 1 of a share. */
  readonly bounds?: readonly number[];
}

/**
 * Values over time with their intervals. Points stand side by side in their order, since runs come in bursts. Each point
 * can be pointed at, and followed where it has an address; the figures are there as a table for those who do not see.
 */
export function TrendChart({ points, format, label, height = 160, bounds = [] }: TrendChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const values = [...bounds, ...points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y])];
  const scale = niceScale(values, height - bottom, top);
  const current = pointed === null ? points.at(-1) : points[pointed];
  const targets = points.map((point) => ({
    key: `${point.x}-${point.label}`,
    text: `${point.label}: ${format(point.y)}`,
    href: point.href,
  }));
  return (
    <figure className="min-w-0">
      <FigureFrame
        label={label}
        current={current && <PointFigures point={current} format={format} />}
        height={height}
        above={<ColumnTargets targets={targets} onPoint={setPointed} />}
      >
        {(width) => (
          <>
            <Grid scale={scale} width={width} format={format} />
            <Curve points={points} scale={scale} width={width} pointed={pointed} />
          </>
        )}
      </FigureFrame>
      <Dates points={points} />
    </figure>
  );
}

const mostDated = 4;

/** When each point was, or where they are many the first, the one in the middle and the last. */
function Dates({ points }: { points: readonly TrendPoint[] }) {
  const [first, middle, last] = [points[0], points[Math.floor((points.length - 1) / 2)], points.at(-1)];
  if (!first || !middle || !last) return null;
  const isRoomy = points.length <= mostDated;
  const texts = isRoomy ? points : [first, middle, last];
  return (
    <div
      aria-hidden
      className={classes('flex text-2xs text-muted', isRoomy ? 'justify-around text-center' : 'justify-between')}
      style={{ paddingLeft: left, paddingRight: right }}
    >
      {texts.map(({ x }, index) => (
        <span key={`${index + 1} ${x}`} className={isRoomy ? 'flex-1' : undefined}>
          {dayAndTime(x)}
        </span>
      ))}
    </div>
  );
}

function PointFigures({ point, format }: { point: TrendPoint; format: (value: number) => string }) {
  return (
    <>
      {point.label}: <span className="font-medium text-ink">{format(point.y)}</span>
      {point.low !== undefined && point.high !== undefined && (
        <>
          {' '}
          ({format(point.low)} to {format(point.high)})
        </>
      )}
    </>
  );
}

interface CurveProps {
  readonly points: readonly TrendPoint[];
  readonly scale: Scale;
  readonly width: number;
  readonly pointed: number | null;
}

/** The line, and on it every point with its interval. */
function Curve({ points, scale, width, pointed }: CurveProps) {
  const columnWidth = points.length === 0 ? 0 : Math.max(0, width - left - right) / points.length;
  const xOf = (index: number): number => left + columnWidth * (index + 0.5);
  return (
    <>
      <polyline
        fill="none"
        points={points.map(({ y }, index) => `${xOf(index)},${scale.place(y)}`).join(' ')}
        className="stroke-accent/50"
        strokeWidth={1.5}
      />
      {points.map((point, index) => (
        <g key={`${point.x}-${point.label}`}>
          {point.low !== undefined && point.high !== undefined && (
            <line
              x1={xOf(index)}
              x2={xOf(index)}
              y1={scale.place(point.low)}
              y2={scale.place(point.high)}
              strokeWidth={Math.min(6, Math.max(2, columnWidth / 4))}
              className="stroke-accent/25"
            />
          )}
          <circle cx={xOf(index)} cy={scale.place(point.y)} r={index === pointed ? 5 : 3} className="fill-accent" />
        </g>
      ))}
    </>
  );
}
