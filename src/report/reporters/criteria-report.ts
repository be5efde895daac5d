import { metRealTool } from '../../domain/marks.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { eachTrial } from '../../keep/store/store.ts';
import { formatDuration } from '../../shared/format.ts';
import { nearestRank } from '../../shared/stats/nearest-rank.ts';
import { criteriaCountsText, trialTitle } from '../presentation/trial-text.ts';
import type { StoredRun } from './reporter.ts';

/** One trial of a tool that is called directly, with the counts of its criteria. */
export interface CriteriaTest {
  readonly trialId: string;
  readonly title: string;
  readonly outcome: Outcome;
  /** `8/8 pass criteria met, 0/3 fail criteria`; the reason where the criteria were not evaluated. */
  readonly counts: string;
  readonly durationMs: number | null;
}

/** How long the tests of a scenario took. */
interface ScenarioPerformance {
  readonly scenario: string;
  readonly tests: number;
  readonly meanMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly slowestMs: number;
}

/** The tests of a run in plan order, and their times. */
export interface CriteriaReport {
  readonly tests: readonly CriteriaTest[];
  /** Of the listed tests; scenarios in which no time was measured are left out. */
  readonly performance: readonly ScenarioPerformance[];
  /** Whether the run has further trials that were not read. */
  readonly isCut: boolean;
}

/** Reads at most so many trials, because a run may have millions; null where none of them has criteria. */
export async function readCriteriaReport(run: StoredRun, most: number): Promise<CriteriaReport | null> {
  const called = calledScenarios(run);
  if (called.size === 0) return null;
  const records: TrialRecord[] = [];
  let read = 0;
  let isCut = false;
  for await (const record of eachTrial(run.store, run.summary.run.runId)) {
    if (read++ === most) {
      isCut = true;
      break;
    }
    if (called.has(record.scenario)) records.push(record);
  }
  if (records.every(({ criteria }) => criteria === null)) return null;
  return { tests: records.map(testOf), performance: performanceOf(records), isCut };
}

/** Scenarios with agents, conversations and MCP servers have other sections. */
function calledScenarios({ summary }: StoredRun): ReadonlySet<string> {
  const called = summary.run.scenarios.filter(
    ({ isAgentDriven, isConversation, serverPart }) => !isAgentDriven && !isConversation && serverPart === null,
  );
  return new Set(called.map(({ name }) => name));
}

function testOf(record: TrialRecord): CriteriaTest {
  const { trialId, outcome, durationMs } = record;
  return { trialId, title: trialTitle(record), outcome, counts: countsOf(record), durationMs };
}

function countsOf({ criteria, reason }: TrialRecord): string {
  return criteria ? criteriaCountsText(criteria) : reason;
}

function performanceOf(records: readonly TrialRecord[]): ScenarioPerformance[] {
  const times = new Map<string, number[]>();
  for (const { scenario, durationMs } of records.filter(metRealTool)) {
    if (durationMs !== null) times.set(scenario, [...(times.get(scenario) ?? []), durationMs]);
  }
  return [...times].map(([scenario, unsorted]) => {
    const sorted = unsorted.sort((a, b) => a - b);
    return {
      scenario,
      tests: sorted.length,
      meanMs: sorted.reduce((sum, each) => sum + each, 0) / sorted.length,
      medianMs: nearestRank(sorted, 0.5),
      p95Ms: nearestRank(sorted, 0.95),
      slowestMs: nearestRank(sorted, 1),
    };
  });
}

export const performanceHead: readonly string[] = ['scenario', 'tests', 'mean', 'median', 'p95', 'slowest'];

/** The times of a scenario under `performanceHead`. */
export function performanceCells({
  scenario,
  tests,
  meanMs,
  medianMs,
  p95Ms,
  slowestMs,
}: ScenarioPerformance): string[] {
  return [scenario, String(tests), ...[meanMs, medianMs, p95Ms, slowestMs].map(formatDuration)];
}
