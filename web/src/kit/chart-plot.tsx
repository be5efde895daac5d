import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { niceScale, type Scale } from '../../../src/report/presentation/chart-scale.ts';
import { useWidth } from './scroll-box.tsx';

/** The room around the drawing of a chart, in pixels: figures of the scale stand at the left. */
export const plot = { left: 52, right: 12, top: 10, bottom: 8 } as const;

/** The lines of a scale with their figures. */
export function Grid({ scale, width, format }: { scale: Scale; width: number; format: (value: number) => string }) {
  return scale.ticks.map((tick) => {
    const y = scale.place(tick);
    return (
      <g key={tick}>
        <line x1={plot.left} x2={width - plot.right} y1={y} y2={y} className="stroke-line" />
        <text x={plot.left - 8} y={y + 4} textAnchor="end" className="fill-muted text-2xs tabular-nums">
          {format(tick)}
        </text>
      </g>
    );
  });
}

interface RowChartProps {
  readonly label: string;
  /** The same figures, for those who do not see the chart. */
  readonly table: { readonly heads: readonly string[]; readonly rows: readonly (readonly string[])[] };
  readonly values: readonly number[];
  readonly format: (value: number) => string;
  /** Space beside the scale at both of its ends together. */
  readonly margin: number;
  readonly rowHeight: number;
  readonly mostTicks: number;
  readonly children: (place: (value: number) => number, height: number) => ReactNode;
}

const foot = 22;

/** Rows one below the other on one scale, with a table of the same figures. */
export function RowChart({ label, table, values, format, margin, rowHeight, mostTicks, children }: RowChartProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const { ticks, place } = niceScale(values, margin, Math.max(width - margin, margin + 1), width < 480 ? 3 : mostTicks);
  const height = table.rows.length * rowHeight;
  return (
    <div ref={ref} className="relative min-w-0 overflow-x-clip">
      <table className="sr-only">
        <caption>{label}</caption>
        <thead>
          <tr>
            {table.heads.map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((cells) => (
            <tr key={cells[0]}>
              {cells.map((cell, index) => (
                <td key={table.heads[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <svg aria-hidden width={width} height={height + foot} className="block overflow-visible">
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={place(tick)} x2={place(tick)} y1={0} y2={height} className="stroke-line" />
            <text x={place(tick)} y={height + 16} textAnchor="middle" className="fill-muted text-2xs tabular-nums">
              {format(tick)}
            </text>
          </g>
        ))}
        {children(place, height)}
      </svg>
    </div>
  );
}

interface FigureFrameProps {
  readonly label: string;
  /** The figures of what is pointed at. */
  readonly current: ReactNode;
  readonly height: number;
  readonly children: (width: number) => ReactNode;
  /** Lies above the drawing. */
  readonly above?: ReactNode;
}

/** A chart with its label, the figures of what is pointed at, and the drawing in the width that there is. */
export function FigureFrame({ label, current, height, children, above }: FigureFrameProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  return (
    <>
      <figcaption className="flex min-h-6 flex-wrap items-baseline justify-between gap-x-3 text-sm">
        <span className="font-medium">{label}</span>
        {current && <span className="text-xs text-muted tabular-nums">{current}</span>}
      </figcaption>
      <div ref={ref} style={{ height }} className="relative">
        <svg aria-hidden width={width} height={height} className="absolute inset-0 overflow-visible">
          {children(width)}
        </svg>
        {above}
      </div>
    </>
  );
}

interface Target {
  readonly key: string;
  readonly text: string;
  readonly href: string | undefined;
}

/** Columns of a chart, each of which can be pointed at, and followed where it has an address. */
export function ColumnTargets({
  targets,
  onPoint,
}: {
  targets: readonly Target[];
  onPoint: (index: number | null) => void;
}) {
  return (
    <ul className="absolute inset-y-0 m-0 flex list-none p-0" style={{ left: plot.left, right: plot.right }}>
      {targets.map(({ key, text, href }, index) => (
        <li
          key={key}
          className="h-full min-w-0 flex-1"
          onPointerEnter={() => onPoint(index)}
          onPointerLeave={() => onPoint(null)}
          onFocus={() => onPoint(index)}
          onBlur={() => onPoint(null)}
        >
          {href === undefined ? (
            <span className="sr-only">{text}</span>
          ) : (
            <Link
              to={href}
              aria-label={text}
              className="block h-full rounded hover:bg-raised/60 focus-visible:bg-raised/60"
            />
          )}
        </li>
      ))}
    </ul>
  );
}
