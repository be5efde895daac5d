import { secondsOf } from '../../shared/format.ts';
import type { TrialStory } from './trial-facts.ts';

/** What was run, with what, when, and what it took. */
export function runJson({ facts, record }: Pick<TrialStory, 'facts' | 'record'>): Record<string, unknown> {
  return {
    scenario_id: facts.scenario,
    scenario_hash: facts.scenarioHash,
    tool: facts.tool,
    model: facts.model,
    timestamp: new Date(record.startedAt).toISOString(),
    duration_secs: secondsOf(record.durationMs),
    cost_estimate_usd: record.costUsd,
    token_usage: facts.usage,
    target_tool_version: facts.targetVersion,
    tool_version: facts.toolVersion,
    guidance: facts.guidance,
    isolation: facts.isolation,
    is_scripted: facts.isScripted,
    run_id: record.runId,
    trial_id: record.trialId,
    case_id: record.caseId,
    repeat: record.repeat,
    scenario_file: record.file,
    ...(record.cachedFrom === null ? {} : { cached_from: record.cachedFrom }),
  };
}
