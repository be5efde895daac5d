import type { ScenarioRun } from '../../../../../src/entry/server/api/stats.ts';
import { figureLabel } from '../../../../../src/report/compare/figure-words.ts';
import type { ScatterColumn } from '../../../kit/chart-scatter.tsx';
import type { TrendPoint } from '../../../kit/chart-trend.tsx';
import { fullTimeText } from '../../../kit/when-text.ts';

const latencyRuns = 10;
const mostDots = 100;
const looks = { pass: 'fill-pass', fail: 'fill-fail', error: 'fill-error', skipped: 'fill-muted' } as const;

/** The name of a run, or else its id. */
export function runLabel({ name, runId }: Pick<ScenarioRun, 'name' | 'runId'>): string {
  return name ?? runId;
}

function pointOf(run: ScenarioRun): Omit<TrendPoint, 'y'> {
  return { x: run.startedAt, label: run.name ?? fullTimeText(run.startedAt), href: hrefOf(run) };
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

/** A score that some of the runs have. */
export interface Score {
  readonly name: string;
  readonly label: string;
  readonly unit: ScenarioRun['scores'][number]['unit'];
}

/** The scores of any of the runs, shares first: they are what most people mean by a score. */
export function scoresOf(runs: readonly ScenarioRun[]): Score[] {
  const found = new Map(runs.flatMap(({ scores }) => scores.map(({ name, unit }) => [name, unit] as const)));
  const scores = [...found].map(([name, unit]) => ({ name, label: figureLabel(name), unit }));
  return scores.sort((a, b) => Number(b.unit === 'share') - Number(a.unit === 'share'));
}

/** The mean of a score in a run; undefined where the run has none. */
export function meanOf(run: ScenarioRun, name: string): number | undefined {
  return run.scores.find((score) => score.name === name)?.mean ?? undefined;
}

/** Runs without the score have no point. */
export function scorePoints(runs: readonly ScenarioRun[], name: string): TrendPoint[] {
  return runs.flatMap((run) => {
    const y = meanOf(run, name);
    return y === undefined ? [] : [{ ...pointOf(run), y }];
  });
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
