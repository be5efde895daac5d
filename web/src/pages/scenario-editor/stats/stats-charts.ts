import type { ScenarioRun } from '../../../../../src/entry/server/api/stats.ts';
import type { ScatterColumn } from '../../../kit/chart-scatter.tsx';
import type { TrendPoint } from '../../../kit/chart-trend.tsx';

const latencyRuns = 10;
const mostDots = 100;
const looks = { pass: 'fill-pass', fail: 'fill-fail', error: 'fill-error', skipped: 'fill-muted' } as const;

/** The name of a run, or else its id. */
export function runLabel({ name, runId }: Pick<ScenarioRun, 'name' | 'runId'>): string {
  return name ?? runId;
}

function pointOf(run: ScenarioRun): Omit<TrendPoint, 'y'> {
  return { x: run.startedAt, label: runLabel(run), href: hrefOf(run) };
}

function hrefOf({ runId }: ScenarioRun): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

/** Runs in which nothing was judged have no point. */
export function passRatePoints(runs: readonly ScenarioRun[]): TrendPoint[] {
  return runs.flatMap((run) =>
    run.passRate === null
      ? []
      : [{ ...pointOf(run), y: run.passRate.rate, low: run.passRate.low, high: run.passRate.high }],
  );
}

/** Runs that reported no tokens have no point. */
export function tokenPoints(runs: readonly ScenarioRun[]): TrendPoint[] {
  return runs.flatMap((run) => (run.tokens === null ? [] : [{ ...pointOf(run), y: run.tokens.meanOutput }]));
}

/** The last runs that measured times, with a dot for each of the first trials. */
export function latencyColumns(runs: readonly ScenarioRun[]): ScatterColumn[] {
  return runs.slice(-latencyRuns).flatMap((run) => {
    if (run.latency === null) return [];
    const values = run.trials.flatMap(({ trialId, outcome, durationMs }) =>
      durationMs === null ? [] : [{ key: trialId, y: durationMs, look: looks[outcome] }],
    );
    return [
      {
        key: run.runId,
        label: runLabel(run),
        mean: run.latency.meanMs,
        values: values.slice(0, mostDots),
        href: hrefOf(run),
      },
    ];
  });
}
