import { secondsOf } from '../../shared/format.ts';
import { metricsJson } from './metrics-json.ts';
import { gateCounts, outcomeText } from './outcome-text.ts';
import type { TrialStory } from './trial-facts.ts';
import { timeStamp } from './trial-folder-name.ts';

/** What the list of all results keeps of a trial; `folder` is its folder as seen from there, with forward slashes. */
export function resultsRecord(
  { facts, record }: Pick<TrialStory, 'facts' | 'record'>,
  folder: string,
): Record<string, unknown> {
  const { passed, total } = gateCounts(record);
  return {
    id: `run-${timeStamp(record.startedAt)}-${fractionOf(record.startedAt)}-${record.trialId}`,
    run_id: record.runId,
    trial_id: record.trialId,
    scenario_id: facts.scenario,
    scenario_hash: facts.scenarioHash,
    tool: facts.tool,
    model: facts.model,
    guidance: facts.guidance,
    repeat: record.repeat,
    timestamp: new Date(record.startedAt).toISOString(),
    duration_secs: secondsOf(record.durationMs),
    cost_usd: record.costUsd,
    gates_passed: passed === total,
    metrics: metricsJson(record),
    judge_score: record.judge?.score ?? null,
    outcome: outcomeText(record),
    transcript_path: `${folder}/transcript.raw.txt`,
  };
}

/** Two trials may begin in the same second, and even in the same millisecond: then their ids tell them apart. */
function fractionOf(at: number): string {
  return String(Math.floor(at) % 1_000).padStart(3, '0');
}
