import { type RunCounts, type RunHeader, summarizeRun } from '../../../domain/run.ts';
import type { RunItem } from '../api/runs.ts';

const shownScenarios = 5;

/** A run as lists show it. */
export function runItem(run: RunHeader, counts: RunCounts, isLive: boolean): RunItem {
  const { totals, notJudged, reused, outcome, reason, durationMs, cost, costUsd } = summarizeRun(
    run,
    counts,
    Date.now(),
  );
  const names = [...new Set(run.scenarios.map(({ name }) => name))];
  return {
    runId: run.runId,
    name: run.request.name ?? null,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    status: run.status,
    isLive,
    origin: run.request.origin?.kind ?? 'run',
    scenarioNames: names.slice(0, shownScenarios),
    scenarioCount: run.scenarios.length,
    totals,
    notJudged,
    reused,
    outcome,
    reason,
    durationMs,
    costUsd,
    cost,
  };
}
