import { existsSync } from 'node:fs';
import { AssayError } from '../../../../domain/errors.ts';
import type { Interaction } from '../../../../domain/interaction.ts';
import { interactionOf } from '../../../interaction/interaction.ts';
import { trackedToolOf } from '../../../interaction/tool-command.ts';
import { failed, type GateCheck, passed } from '../gate.ts';
import type { noConfig } from '../gate-configs.ts';
import { shortened } from './excerpt.ts';

/** How the gate `no_transcript_errors` looks at the work. */
export const checkNoTranscriptErrors: GateCheck<typeof noConfig> = async (_config, { trial, trace, workspace }) => {
  const tool = trackedToolOf(trial.scenario.target.config);
  if (!tool) throw new AssayError('INTERNAL', 'The target of the scenario names no tool.');
  const interaction = interactionOf(trace, tool);
  if (interaction.source === 'none' && !existsSync(workspace.transcriptFile)) {
    return failed('there is no transcript to look at');
  }
  const { error_count: errors, total_commands: total, source } = interaction;
  const commands = `${total} ${total === 1 ? 'command' : 'commands'} of ${shortened(tool.binary)}`;
  if (errors === 0) return passed(total === 0 ? `no command of ${tool.binary} was seen` : `none of ${commands} failed`);
  return failed(`${errors} of ${commands} failed, wanted none${failing(interaction)} (seen by: ${source})`);
};

function failing({ subcommands }: Interaction): string {
  const named = Object.entries(subcommands)
    .filter(([, { error_count }]) => error_count > 0)
    .map(([name, { error_count }]) => `${name} ${error_count} x`);
  return named.length === 0 ? '' : `: ${shortened(named.join(', '))}`;
}
