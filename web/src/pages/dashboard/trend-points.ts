import { markCountsText } from '../../../../src/domain/marks.ts';
import type { Dashboard } from '../../../../src/entry/server/api/runs.ts';
import type { TrendPoint } from '../../kit/chart-trend.tsx';
import { fullTimeText } from '../../kit/when-text.ts';

export type Trend = Dashboard['trends'][number]['trend'];

/** Pass rates of runs with their intervals; runs without one are left out. */
export function passRatePoints(trend: Trend): TrendPoint[] {
  return trend.flatMap((run) =>
    run.passRate === null
      ? []
      : [{ ...trendPoint(run), y: run.passRate, low: run.low ?? undefined, high: run.high ?? undefined }],
  );
}

export function trendPoint({ runId, name, startedAt, marks }: Trend[number]): Omit<TrendPoint, 'y'> {
  const label = `${name ?? fullTimeText(startedAt)}${markCountsText(marks)}`;
  return { x: startedAt, label, href: `/runs/${encodeURIComponent(runId)}` };
}
