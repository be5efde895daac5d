import { outputOf } from './command-output.ts';
import { defineGate, failed } from './gate.ts';
import { commandConfig, substring } from './gate-configs.ts';
import { checkContains } from './looked-at-text.ts';
import { runToSuccess } from './run-command.ts';

/** What a shell command prints contains a text. */
export const commandOutputContains = defineGate({
  type: 'command_output_contains',
  label: 'Command output contains',
  summary: 'a shell command exits with 0 and its stdout contains a text',
  configSchema: commandConfig.extend({ substring }),
  async check(config, context) {
    const end = await runToSuccess(config, context);
    if (typeof end === 'string') return failed(end);
    return checkContains(outputOf(config.command, end), config.substring);
  },
});
