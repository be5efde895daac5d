import { isReused, metRealTool } from '../../../domain/marks.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { ScenarioCounts, Store } from '../../../keep/store/store.ts';
import { rateOfCases, templatesOf } from '../../../report/compare/case-rates.ts';
import { evidenceOf } from '../../../report/compare/evidence.ts';
import { RunBreakdown } from '../../../report/compare/run-breakdown.ts';
import { countCases } from '../../../report/reporters/run-figures.ts';
import { mappedRows } from '../../../shared/rows.ts';
import { nearestRank } from '../../../shared/stats/nearest-rank.ts';
import { mean } from '../../../shared/stats/spread.ts';
import type { ScenarioRun } from '../api/stats.ts';

const mostTrials = 500;
const charted: ReadonlySet<string> = new Set(['duration-ms', 'tokens']);

/** Figures of a scenario in one run. */
export async function readScenarioRun(run: RunHeader, scenario: string, store: Store): Promise<ScenarioRun> {
  const { runId, startedAt, request } = run;
  const counts = (await store.countByScenario(runId)).filter((one) => one.scenario === scenario);
  const sum = (key: 'pass' | 'fail' | 'error') => counts.reduce((total, one) => total + one[key], 0);
  const cases = await countCases(store, run, scenario);
  const counted = mappedRows(evidenceOf(cases), (one) => ({ ...one, passed: one.pass, failed: one.fail }));
  const { rate, interval, trials: judged } = rateOfCases(counted);
  const { records, isCut } = await readTrials(runId, counts, store);
  return {
    runId,
    name: request.name ?? null,
    startedAt,
    totals: { pass: sum('pass'), fail: sum('fail'), error: sum('error') },
    passRate: rate === null || interval === null ? null : { rate, low: interval.low, high: interval.high, judged },
    latency: latencyOf(records),
    tokens: tokensOf(records),
    scores: scoresOf(records, run),
    trials: records.map(({ trialId, caseId, outcome, ...record }) => ({
      trialId,
      caseId,
      outcome,
      durationMs: isOwn(record) ? record.durationMs : null,
    })),
    isCut,
  };
}

/** Scores, metrics and cost of the trials; time and tokens have charts already. */
function scoresOf(records: readonly TrialRecord[], run: RunHeader): ScenarioRun['scores'] {
  const breakdown = new RunBreakdown(templatesOf(run));
  for (const record of records) breakdown.add(record);
  return breakdown.metrics().filter(({ name, mean: value }) => !charted.has(name) && value !== null);
}

/** Trials of a scenario lie side by side in the plan; files may have scenarios of the same name. */
async function readTrials(runId: string, counts: readonly ScenarioCounts[], store: Store) {
  const records: TrialRecord[] = [];
  let planned = 0;
  for (const { scenario, firstOrdinal, lastOrdinal } of counts) {
    const limit = Math.min(mostTrials - records.length, lastOrdinal - firstOrdinal + 1);
    planned += lastOrdinal - firstOrdinal + 1;
    const page = limit > 0 ? await store.readTrials(runId, { limit, after: firstOrdinal - 1 }) : [];
    records.push(...page.filter((record) => record.scenario === scenario));
  }
  return { records, isCut: planned > mostTrials };
}

/** Whether its time and tokens are those of this run. */
function isOwn(record: Omit<TrialRecord, 'trialId' | 'caseId' | 'outcome'>): boolean {
  return !isReused(record) && metRealTool(record);
}

function latencyOf(records: readonly TrialRecord[]): ScenarioRun['latency'] {
  const measured = records.filter(isOwn).flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]));
  if (measured.length === 0) return null;
  const sorted = measured.sort((a, b) => a - b);
  return {
    trials: sorted.length,
    meanMs: mean(sorted),
    medianMs: nearestRank(sorted, 0.5),
    p95Ms: nearestRank(sorted, 0.95),
    slowestMs: nearestRank(sorted, 1),
  };
}

/** Without the tokens of judges. */
function targetUsageOf({ usage, targetUsage }: TrialRecord): TrialRecord['usage'] {
  return targetUsage === undefined ? usage : targetUsage;
}

function tokensOf(records: readonly TrialRecord[]): ScenarioRun['tokens'] {
  const usages = records.filter(isOwn).flatMap((record) => {
    const { inputTokens, outputTokens } = targetUsageOf(record) ?? {};
    return inputTokens === undefined || outputTokens === undefined ? [] : [{ inputTokens, outputTokens }];
  });
  if (usages.length === 0) return null;
  return {
    trials: usages.length,
    meanInput: mean(usages.map(({ inputTokens }) => inputTokens)),
    meanOutput: mean(usages.map(({ outputTokens }) => outputTokens)),
  };
}
