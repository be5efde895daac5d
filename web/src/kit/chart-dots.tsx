import { grouped } from '../../../src/shared/format.ts';
import { RowChart } from './chart-plot.tsx';
import { classes } from './classes.ts';

/** The values of one side, in ascending order. */
export interface DotRow {
  readonly label: string;
  readonly values: readonly number[];
  readonly total: number;
  readonly median: number;
  readonly mean: number | undefined;
}

interface DotChartProps {
  readonly label: string;
  readonly rows: readonly DotRow[];
  readonly format: (value: number) => string;
}

const rowHeight = 92;
const radius = 3.5;

/** Every value as a dot, one row for each side on one scale; equal values stand above each other. */
export function DotChart({ label, rows, format }: DotChartProps) {
  const table = {
    heads: ['side', 'values', 'least', 'median', 'mean', 'greatest'],
    rows: rows.map(({ label: side, values, total, median, mean }) => [
      ...[side, grouped(total), format(values[0] ?? Number.NaN), format(median)],
      ...[mean === undefined ? '–' : format(mean), format(values.at(-1) ?? Number.NaN)],
    ]),
  };
  const values = rows.flatMap((row) => [...row.values, ...(row.mean === undefined ? [] : [row.mean])]);
  const shape = { margin: 30, rowHeight, mostTicks: 6 };
  return (
    <RowChart label={label} table={table} values={values} format={format} {...shape}>
      {(place) =>
        rows.map((row, index) => (
          <DotLine
            key={row.label}
            row={row}
            top={index * rowHeight}
            place={place}
            format={format}
            look={index === 0 ? 'fill-muted' : 'fill-accent'}
          />
        ))
      }
    </RowChart>
  );
}

interface DotLineProps {
  readonly row: DotRow;
  readonly top: number;
  readonly place: (value: number) => number;
  readonly format: (value: number) => string;
  readonly look: string;
}

function DotLine({ row: { label, values, mean }, top, place, format, look }: DotLineProps) {
  const base = top + rowHeight - 10;
  const heights = stacked(values.map(place));
  return (
    <g>
      <text x={0} y={top + 13} className="fill-ink text-xs font-medium">
        {label}
      </text>
      {values.map((value, index) => (
        <circle
          // Equal values differ only in their place.
          key={`${index + 1} ${value}`}
          cx={place(value)}
          cy={base - radius - (heights[index] ?? 0)}
          r={radius}
          className={classes(look, 'opacity-70')}
        >
          <title>{format(value)}</title>
        </circle>
      ))}
      {mean !== undefined && (
        <g>
          <line x1={place(mean)} x2={place(mean)} y1={top + 18} y2={base + 4} strokeWidth={2} className="stroke-ink" />
          <title>{`mean ${format(mean)}`}</title>
        </g>
      )}
    </g>
  );
}

/** Height of each dot: none hides another. Where there are many, dots move together to fit the row. */
function stacked(places: readonly number[]): number[] {
  const levels = new Map<number, number>();
  const levelOf = (x: number): number => {
    const column = Math.round(x / (2 * radius));
    const level = levels.get(column) ?? 0;
    levels.set(column, level + 1);
    return level;
  };
  const found = places.map(levelOf);
  const highest = Math.max(1, ...found);
  const step = Math.min(2 * radius, (rowHeight - 38) / highest);
  return found.map((level) => level * step);
}
