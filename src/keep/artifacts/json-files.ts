import type { Interaction } from '../../domain/interaction.ts';
import { type Mark, marksOf } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { secondsOf } from '../../shared/format.ts';
import { gateCounts, outcomeText } from './markdown.ts';
import { type TrialStory, timeStamp } from './trial-facts.ts';

/** The figures of a trial for programs, under the names of both descriptions of this file that exist. */
export function metricsJson(record: TrialRecord): Record<string, unknown> {
  const { passed, total } = gateCounts(record);
  return {
    gates_passed: passed,
    gates_total: total,
    gate_results: record.gates.map(({ gate_type, passed: isPassed, message }) => ({
      type: snakeCase(gate_type),
      passed: isPassed,
      detail: message,
    })),
    details: record.gates.map((gate) => ({ ...gate, gate_type: pascalCase(gate.gate_type) })),
    interaction: record.interaction,
    efficiency: record.interaction && efficiencyOf(record.interaction),
    judge_score: record.judge?.score ?? null,
    ...(record.judge?.response === undefined ? {} : { judge_response: record.judge.response }),
    ...(record.compositeScore === null ? {} : { composite_score: record.compositeScore }),
    evaluator_results: record.scripts,
    metrics: record.metrics,
    duration_secs: secondsOf(record.durationMs),
    cost_usd: record.costUsd,
    outcome: outcomeText(record),
    fault: record.fault,
  };
}

function efficiencyOf(interaction: Interaction): Record<string, number> {
  return {
    total_commands: interaction.total_commands,
    unique_commands: interaction.unique_commands,
    error_count: interaction.error_count,
    retry_count: interaction.retry_count,
    help_invocations: interaction.help_invocations,
    first_try_success_rate: interaction.first_try_success_rate,
    iteration_ratio: interaction.iteration_ratio,
  };
}

/** `CommandSucceeds` and `command_succeeds` are the same gate. */
function snakeCase(type: string): string {
  return type.replace(/(?<=[a-z0-9])[A-Z]/g, '_$&').toLowerCase();
}

/** The name of a gate as reports show it: `CommandSucceeds`. */
export function pascalCase(type: string): string {
  return type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Entry of a trial in the list of all results; `folder` is relative to that list, with forward slashes. */
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
    ...marksEntry(record),
  };
}

/** Two trials may begin in the same second, and even in the same millisecond: then their ids distinguish them. */
function fractionOf(at: number): string {
  return String(Math.floor(at) % 1_000).padStart(3, '0');
}

/** The run: tool, agent, model, start and duration. */
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
    ...(record.hasReusedVerdict && { has_reused_verdict: true }),
    ...marksEntry(record),
  };
}

function marksEntry(record: TrialRecord): { readonly marks?: readonly Mark[] } {
  const marks = marksOf(record);
  return marks.length > 0 ? { marks } : {};
}
