import type { Interaction } from '../../domain/interaction.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { secondsOf } from '../../shared/format.ts';
import { gateCounts, outcomeText } from './outcome-text.ts';

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
