import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { niceScale } from '../../../src/report/presentation/chart-scale.ts';
import { Grid, plot } from './chart-plot.tsx';
import { classes } from './classes.ts';
import { useWidth } from './scroll-box.tsx';

/** Values that stand above each other, and their mean. */
export interface ScatterColumn {
  readonly key: string;
  readonly label: string;
  readonly mean: number;
  readonly values: readonly { readonly key: string; readonly y: number; readonly look: string }[];
  readonly href: string;
}

/** Every value of each column as a dot, with a line through the means. Its table stands beside it for those who do not see. */
export function ScatterChart({
  label,
  columns,
  format,
  height = 180,
}: {
  label: string;
  columns: readonly ScatterColumn[];
  format: (value: number) => string;
  height?: number;
}) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<number | null>(null);
  const values = columns.flatMap((column) => [column.mean, ...column.values.map(({ y }) => y)]);
  const scale = niceScale([0, ...values], height - plot.bottom, plot.top);
  const current = pointed === null ? columns.at(-1) : columns[pointed];
  const columnWidth = columns.length === 0 ? 0 : Math.max(0, width - plot.left - plot.right) / columns.length;
  const xOf = (index: number): number => plot.left + columnWidth * (index + 0.5);
  return (
    <figure className="min-w-0">
      <figcaption className="flex min-h-6 flex-wrap items-baseline justify-between gap-x-3 text-sm">
        <span className="font-medium">{label}</span>
        {current !== undefined && (
          <span className="text-xs text-muted tabular-nums">
            {current.label}: mean <span className="font-medium text-ink">{format(current.mean)}</span>
          </span>
        )}
      </figcaption>
      <div ref={ref} style={{ height }} className="relative">
        <svg aria-hidden width={width} height={height} className="absolute inset-0 overflow-visible">
          <Grid scale={scale} width={width} format={format} />
          {columns.map((column, index) => (
            <Dots key={column.key} column={column} x={xOf(index)} spread={columnWidth * 0.3} place={scale.place} />
          ))}
          <Means
            columns={columns}
            xOf={xOf}
            place={scale.place}
            halfWidth={Math.min(12, columnWidth * 0.35)}
            pointed={pointed}
          />
        </svg>
        <ColumnLinks columns={columns} format={format} onPoint={setPointed} />
      </div>
    </figure>
  );
}

/** Dots of one column; they are spread sideways, so equal values do not hide each other. */
function Dots({
  column,
  x,
  spread,
  place,
}: {
  column: ScatterColumn;
  x: number;
  spread: number;
  place: (value: number) => number;
}) {
  const { values } = column;
  const step = values.length > 1 ? Math.min(6, (2 * spread) / (values.length - 1)) : 0;
  return values.map(({ key, y, look }, index) => (
    <circle
      key={key}
      cx={x + (index - (values.length - 1) / 2) * step}
      cy={place(y)}
      r={2.5}
      className={classes(look, 'opacity-60')}
    />
  ));
}

interface MeansProps {
  readonly columns: readonly ScatterColumn[];
  readonly xOf: (index: number) => number;
  readonly place: (value: number) => number;
  readonly halfWidth: number;
  readonly pointed: number | null;
}

function Means({ columns, xOf, place, halfWidth, pointed }: MeansProps) {
  return (
    <>
      <polyline
        fill="none"
        points={columns.map(({ mean }, index) => `${xOf(index)},${place(mean)}`).join(' ')}
        className="stroke-accent"
        strokeWidth={1.5}
      />
      {columns.map(({ key, mean }, index) => (
        <line
          key={key}
          x1={xOf(index) - halfWidth}
          x2={xOf(index) + halfWidth}
          y1={place(mean)}
          y2={place(mean)}
          strokeWidth={index === pointed ? 4 : 2.5}
          className="stroke-accent"
        />
      ))}
    </>
  );
}

/** Each column can be pointed at, and followed. */
function ColumnLinks({
  columns,
  format,
  onPoint,
}: {
  columns: readonly ScatterColumn[];
  format: (value: number) => string;
  onPoint: (index: number | null) => void;
}) {
  return (
    <ul className="absolute inset-y-0 m-0 flex list-none p-0" style={{ left: plot.left, right: plot.right }}>
      {columns.map((column, index) => (
        <li
          key={column.key}
          className="h-full min-w-0 flex-1"
          onPointerEnter={() => onPoint(index)}
          onPointerLeave={() => onPoint(null)}
          onFocus={() => onPoint(index)}
          onBlur={() => onPoint(null)}
        >
          <Link
            to={column.href}
            aria-label={`${column.label}: mean ${format(column.mean)} of ${column.values.length}`}
            className="block h-full rounded hover:bg-raised/60 focus-visible:bg-raised/60"
          />
        </li>
      ))}
    </ul>
  );
}
