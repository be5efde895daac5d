import { AssayError } from '../../../domain/errors.ts';
import { type Interaction, isShare } from '../../../domain/interaction.ts';
import { counted } from '../../../shared/format.ts';
import { describeSource } from '../../interaction/disagreements.ts';
import { interactionOf } from '../../interaction/interaction.ts';
import { trackedToolOf } from '../../interaction/tool-command.ts';
import type { Answer, EvaluationContext } from '../evaluator.ts';

/** How well the agent of a trial used the tool. */
export function measureInteraction({ trial, trace }: EvaluationContext): Answer<'metric'> {
  const tool = trackedToolOf(trial.scenario.target.config);
  if (!tool) {
    const message = 'The target of the scenario names no binary whose commands could be looked for.';
    return { state: 'error', error: new AssayError('EVALUATOR_FAILED', message) };
  }
  const found = interactionOf(trace, tool);
  const told = { reason: reasonOf(found), metrics: metricsOf(found), findings: { interaction: found } };
  if (found.total_commands === 0) return { state: 'no-data', ...told };
  return { state: 'measured', value: found.first_try_success_rate, ...told };
}

function reasonOf(found: Interaction): string {
  if (found.source === 'none') return 'No command of the tool was seen: there was nothing to look at';
  const parts = [
    counted(found.total_commands, 'command'),
    `${found.error_count} failed`,
    `${found.help_invocations} asked for help`,
    `${Math.round(found.first_try_success_rate * 100)} % were new and succeeded`,
  ];
  const unrecorded = found.unrecorded.length > 0 ? [`${found.unrecorded.length} went round the recorder`] : [];
  return `${[...parts, ...unrecorded].join(', ')} (from ${describeSource(found.source)})`;
}

/** Shares of no command at all were not observed, whatever the formula makes of them. */
function metricsOf(found: Interaction): Record<string, number | null> {
  const numbers = Object.entries(found).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const figures = numbers.map(([name, value]) => [name, found.total_commands === 0 && isShare(name) ? null : value]);
  return { ...Object.fromEntries(figures), completed: found.completed === null ? null : Number(found.completed) };
}
