import type { RunHeader } from '../../../domain/run.ts';
import type { RunFigures } from '../../../report/compare/run-figures.ts';
import type { Dashboard } from '../api/runs.ts';

export type TrendPoint = Dashboard['trends'][number]['trend'][number];

/** A run in a chart over time. */
export function trendPoint({ runId, startedAt, request }: RunHeader, figures: RunFigures): TrendPoint {
  const { rate, interval, trials } = figures.passRate;
  return {
    runId,
    name: request.name ?? null,
    startedAt,
    marks: figures.marks,
    judged: trials,
    passRate: rate,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    costUsd: figures.costUsd,
  };
}
