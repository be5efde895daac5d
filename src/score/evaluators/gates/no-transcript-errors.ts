import { existsSync } from 'node:fs';
import { AssayError } from '../../../domain/errors.ts';
import type { Interaction } from '../../../domain/interaction.ts';
import { trackedToolOf } from '../../interaction/tool-command.ts';
import { shortened } from '../excerpt.ts';
import { defineGate, failed, noConfig, passed } from './gate.ts';

export const noTranscriptErrors = defineGate({
  type: 'no_transcript_errors',
  summary: 'every command of the tool under test exited with 0',
  judgesConduct: true,
  configSchema: noConfig,
  reads: { channels: { commands: 'absence' } },
  async check(_config, { trial, trace, workspace }) {
    // Reading shell commands takes much code, and most runs have no agents.
    const { interactionOf } = await import('../../interaction/interaction.ts');
    const tool = trackedToolOf(trial.scenario.target.config);
    if (!tool) throw new AssayError('INTERNAL', 'The target of the scenario names no tool.');
    const interaction = interactionOf(trace, tool);
    if (interaction.source === 'none' && !existsSync(workspace.transcriptFile)) {
      throw new AssayError('NOT_OBSERVED', 'There is no record of commands and no transcript to look at.');
    }
    const { error_count: errors, total_commands: total, source } = interaction;
    const commands = `${total} ${total === 1 ? 'command' : 'commands'} of ${shortened(tool.binary)}`;
    if (errors === 0)
      return passed(total === 0 ? `no command of ${tool.binary} was observed` : `none of ${commands} failed`);
    return failed(`${errors} of ${commands} failed, wanted none${failingCommands(interaction)} (seen by: ${source})`);
  },
});

function failingCommands({ subcommands }: Interaction): string {
  const named = Object.entries(subcommands)
    .filter(([, { error_count }]) => error_count > 0)
    .map(([name, { error_count }]) => `${name} ${error_count} x`);
  return named.length === 0 ? '' : `: ${shortened(named.join(', '))}`;
}
