import { commandConfig, defineGate, failed, substring } from './gate.ts';
import { outputOf, runToSuccess } from './run-command.ts';
import { checkContains } from './text-check.ts';

export const commandOutputContains = defineGate({
  type: 'command_output_contains',
  label: 'Command output contains',
  summary: 'a shell command exits with 0 and its stdout contains a text',
  example: { command: 'tasks list', substring: 'Buy milk' },
  configSchema: () => commandConfig().extend({ substring: substring() }),
  async check(config, context) {
    const end = await runToSuccess(config, context);
    return typeof end === 'string' ? failed(end) : checkContains(outputOf(config.command, end), config.substring);
  },
});
