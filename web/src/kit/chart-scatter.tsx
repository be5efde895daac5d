import { useState } from 'react';
import { niceScale } from '../../../src/report/presentation/chart-scale.ts';
import { ColumnTargets, FigureFrame, Grid, plot } from './chart-plot.tsx';
import { classes } from './classes.ts';

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
  const [pointed, setPointed] = useState<number | null>(null);
  const values = columns.flatMap((column) => [column.mean, ...column.values.map(({ y }) => y)]);
  const scale = niceScale([0, ...values], height - plot.bottom, plot.top);
  const current = pointed === null ? columns.at(-1) : columns[pointed];
  const targets = columns.map(({ key, label: name, mean, values: { length }, href }) => ({
    ...{ key, href },
    text: `${name}: mean ${format(mean)} of ${length}`,
  }));
  const drawing = (width: number) => {
    const columnWidth = columns.length === 0 ? 0 : Math.max(0, width - plot.left - plot.right) / columns.length;
    const xOf = (index: number): number => plot.left + columnWidth * (index + 0.5);
    const halfWidth = Math.min(12, columnWidth * 0.35);
    return (
      <>
        <Grid scale={scale} width={width} format={format} />
        {columns.map((column, index) => (
          <Dots key={column.key} column={column} x={xOf(index)} spread={columnWidth * 0.3} place={scale.place} />
        ))}
        <Means columns={columns} xOf={xOf} place={scale.place} halfWidth={halfWidth} pointed={pointed} />
      </>
    );
  };
  return (
    <figure className="min-w-0">
      <FigureFrame
        label={label}
        current={
          current && (
            <>
              {current.label}: mean <span className="font-medium text-ink">{format(current.mean)}</span>
            </>
          )
        }
        height={height}
        above={<ColumnTargets targets={targets} onPoint={setPointed} />}
      >
        {drawing}
      </FigureFrame>
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
