import { niceScale } from '../../../src/report/presentation/chart-scale.ts';
import { useWidth } from './scroll-box.tsx';

/** An estimate with its interval. */
export interface IntervalRow {
  readonly label: string;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** Where no difference lies; drawn as a line where any row has it. */
  readonly zero?: number;
}

const rowHeight = 34;
const foot = 22;

interface IntervalChartProps {
  readonly rows: readonly IntervalRow[];
  readonly format?: (value: number) => string;
  readonly label?: string;
}

/** Estimates with their intervals, one below the other on one scale. */
export function IntervalChart({
  rows,
  format = (value) => String(Number(value.toPrecision(3))),
  label = 'Estimates with intervals',
}: IntervalChartProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const zeros = rows.flatMap(({ zero }) => (zero === undefined ? [] : [zero]));
  const values = rows.flatMap(({ estimate, low, high }) => [estimate, low, high]);
  const scale = niceScale([...values, ...zeros], 24, Math.max(width - 24, 25), width < 480 ? 3 : 5);
  const height = rows.length * rowHeight + foot;
  return (
    <div ref={ref} className="relative min-w-0 overflow-x-clip">
      <IntervalTable rows={rows} format={format} label={label} />
      <svg aria-hidden width={width} height={height} className="block overflow-visible">
        {scale.ticks.map((tick) => (
          <g key={tick}>
            <line x1={scale.place(tick)} x2={scale.place(tick)} y1={0} y2={height - foot} className="stroke-line" />
            <text x={scale.place(tick)} y={height - 6} textAnchor="middle" className="fill-muted text-2xs tabular-nums">
              {format(tick)}
            </text>
          </g>
        ))}
        {zeros[0] !== undefined && (
          <line
            x1={scale.place(zeros[0])}
            x2={scale.place(zeros[0])}
            y1={0}
            y2={height - foot}
            strokeDasharray="3 3"
            className="stroke-muted"
          />
        )}
        {rows.map((row, index) => (
          <IntervalMark key={row.label} row={row} y={index * rowHeight} place={scale.place} format={format} />
        ))}
      </svg>
    </div>
  );
}

/** The same figures for those who do not see the chart. */
function IntervalTable({ rows, format, label }: Required<IntervalChartProps>) {
  return (
    <table className="sr-only">
      <caption>{label}</caption>
      <thead>
        <tr>
          <th>what</th>
          <th>estimate</th>
          <th>from</th>
          <th>to</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.label}>
            <td>{row.label}</td>
            <td>{format(row.estimate)}</td>
            <td>{format(row.low)}</td>
            <td>{format(row.high)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function IntervalMark({
  row,
  y,
  place,
  format,
}: {
  row: IntervalRow;
  y: number;
  place: (value: number) => number;
  format: (value: number) => string;
}) {
  const middle = y + 24;
  const isClear = row.zero !== undefined && (row.low > row.zero || row.high < row.zero);
  return (
    <g className={isClear ? 'stroke-accent' : 'stroke-muted'}>
      <title>{`${row.label}: ${format(row.estimate)} (${format(row.low)} to ${format(row.high)})`}</title>
      <text x={0} y={y + 13} className="fill-ink stroke-none text-xs">
        {row.label}
      </text>
      <line x1={place(row.low)} x2={place(row.high)} y1={middle} y2={middle} strokeWidth={2} />
      <line x1={place(row.low)} x2={place(row.low)} y1={middle - 4} y2={middle + 4} strokeWidth={2} />
      <line x1={place(row.high)} x2={place(row.high)} y1={middle - 4} y2={middle + 4} strokeWidth={2} />
      <circle
        cx={place(row.estimate)}
        cy={middle}
        r={4}
        className={isClear ? 'fill-accent stroke-none' : 'fill-muted stroke-none'}
      />
    </g>
  );
}
