import { AssayError } from '../../../domain/errors.ts';
import { type Interaction, isShare } from '../../../domain/interaction.ts';
import { counted } from '../../../shared/format.ts';
import { trackedToolOf } from '../../interaction/tool-command.ts';
import { type Answer, defineEvaluator, type EvaluationContext } from '../evaluator.ts';

/** Diagnostic: never part of the outcome. */
export const interaction = defineEvaluator({
  type: 'interaction',
  kind: 'metric',
  summary: 'how well the agent used the tool: errors, retries, use of help, first-try success',
  needs: ['workspace'],
  reads: { channels: { commands: 'total' } },
  readsTraceOnly: true,
  prepare: () => measureInteraction,
});

async function measureInteraction({ trial, trace }: EvaluationContext): Promise<Answer<'metric'>> {
  // Reading shell commands takes much code, and most runs have no agents.
  const { describeSource, interactionOf } = await import('../../interaction/interaction.ts');
  const tool = trackedToolOf(trial.scenario.target.config);
  if (!tool) {
    const message = 'The target of the scenario names no binary, so its commands cannot be counted.';
    return { state: 'error', error: new AssayError('EVALUATOR_FAILED', message) };
  }
  const found = interactionOf(trace, tool);
  const details = {
    reason: reasonOf(found, describeSource(found.source)),
    metrics: metricsOf(found),
    findings: { interaction: found },
  };
  if (found.total_commands === 0) return { state: 'no-data', ...details };
  return { state: 'measured', value: found.first_try_success_rate, ...details };
}

function reasonOf(found: Interaction, source: string): string {
  if (found.source === 'none') return 'No command of the tool was observed: the trial left no record of commands';
  const parts = [
    counted(found.total_commands, 'command'),
    `${found.error_count} failed`,
    counted(found.help_invocations, 'help request'),
    `${Math.round(found.first_try_success_rate * 100)} % were new and succeeded`,
  ];
  const unrecorded = found.unrecorded.length > 0 ? [`${found.unrecorded.length} bypassed the recorder`] : [];
  return `${[...parts, ...unrecorded].join(', ')} (from ${source})`;
}

/** Without commands, shares were not observed, whatever the formula yields. */
function metricsOf(found: Interaction): Record<string, number | null> {
  const numbers = Object.entries(found).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const figures = numbers.map(([name, value]) => [name, found.total_commands === 0 && isShare(name) ? null : value]);
  return { ...Object.fromEntries(figures), completed: found.completed === null ? null : Number(found.completed) };
}
