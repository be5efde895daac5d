import type { Interaction } from '../../domain/interaction.ts';

/** How the agent got on with the tool, as rows of a table. */
export function efficiencyRows(interaction: Interaction): string[][] {
  return [
    ['Commands', `${interaction.total_commands} (${interaction.unique_commands} unique)`],
    ['Errors', `${interaction.error_count} (${percent(interaction.error_rate)})`],
    ['Retries', `${interaction.retry_count} (${percent(interaction.retry_rate)})`],
    ['Retries after a failure', String(interaction.retries_after_failure)],
    ['Help asked for', String(interaction.help_invocations)],
    ['First-try success', percent(interaction.first_try_success_rate)],
    ['Iteration ratio', interaction.iteration_ratio.toFixed(2)],
    ['Completed', interaction.completed === null ? 'unknown' : interaction.completed ? 'yes' : 'no'],
    ['Commands known from', sources[interaction.source]],
  ];
}

/** `33.3 %` */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

const sources = {
  recorder: 'the recorder',
  'agent-events': 'the events of the agent',
  'events-file': 'events.jsonl',
  transcript: 'the transcript (approximate)',
  none: 'nothing',
} as const;
