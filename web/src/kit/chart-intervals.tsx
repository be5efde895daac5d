import { RowChart } from './chart-plot.tsx';

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
  const [zero] = rows.flatMap((row) => row.zero ?? []);
  const values = [
    ...rows.flatMap(({ estimate, low, high }) => [estimate, low, high]),
    ...(zero === undefined ? [] : [zero]),
  ];
  const table = {
    heads: ['what', 'estimate', 'from', 'to'],
    rows: rows.map(({ label: what, estimate, low, high }) => [what, ...[estimate, low, high].map(format)]),
  };
  const shape = { margin: 24, rowHeight, mostTicks: 5 };
  return (
    <RowChart label={label} table={table} values={values} format={format} {...shape}>
      {(place, height) => (
        <>
          {zero !== undefined && (
            <line x1={place(zero)} x2={place(zero)} y1={0} y2={height} strokeDasharray="3 3" className="stroke-muted" />
          )}
          {rows.map((row, index) => (
            <IntervalMark key={row.label} row={row} y={index * rowHeight} place={place} format={format} />
          ))}
        </>
      )}
    </RowChart>
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
