import { niceScale } from '../../../src/report/presentation/chart-scale.ts';
import { grouped } from '../../../src/shared/format.ts';
import { classes } from './classes.ts';
import { useWidth } from './scroll-box.tsx';

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
const foot = 22;
const radius = 3.5;

/** Every value as a dot, one row for each side on one scale; equal values stand above each other. */
export function DotChart({ label, rows, format }: DotChartProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const values = rows.flatMap((row) => [...row.values, ...(row.mean === undefined ? [] : [row.mean])]);
  const scale = niceScale(values, 30, Math.max(width - 30, 31), width < 480 ? 3 : 6);
  const height = rows.length * rowHeight + foot;
  return (
    <div ref={ref} className="relative min-w-0 overflow-x-clip">
      <DotTable label={label} rows={rows} format={format} />
      <svg aria-hidden width={width} height={height} className="block overflow-visible">
        {scale.ticks.map((tick) => (
          <g key={tick}>
            <line x1={scale.place(tick)} x2={scale.place(tick)} y1={0} y2={height - foot} className="stroke-line" />
            <text x={scale.place(tick)} y={height - 6} textAnchor="middle" className="fill-muted text-2xs tabular-nums">
              {format(tick)}
            </text>
          </g>
        ))}
        {rows.map((row, index) => (
          <DotLine
            key={row.label}
            row={row}
            top={index * rowHeight}
            place={scale.place}
            format={format}
            look={index === 0 ? 'fill-muted' : 'fill-accent'}
          />
        ))}
      </svg>
    </div>
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

/** The same figures for those who do not see the chart. */
function DotTable({ label, rows, format }: DotChartProps) {
  return (
    <table className="sr-only">
      <caption>{label}</caption>
      <thead>
        <tr>
          {['side', 'values', 'least', 'median', 'mean', 'greatest'].map((head) => (
            <th key={head}>{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label: side, values, total, median, mean }) => (
          <tr key={side}>
            <td>{side}</td>
            <td>{grouped(total)}</td>
            <td>{format(values[0] ?? Number.NaN)}</td>
            <td>{format(median)}</td>
            <td>{mean === undefined ? '–' : format(mean)}</td>
            <td>{format(values.at(-1) ?? Number.NaN)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
