import type { Scale } from '../../../src/report/presentation/chart-scale.ts';

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
