import { commandConfig, defineGate, failed, pattern } from './gate.ts';
import { outputOf, runToSuccess } from './run-command.ts';
import { checkMatches, checkPattern } from './text-check.ts';

export const commandOutputMatches = defineGate({
  type: 'command_output_matches',
  label: 'Command output matches',
  summary: 'a shell command exits with 0 and its stdout matches a regular expression',
  example: { command: 'tasks list', pattern: '\\d+ open' },
  configSchema: () => commandConfig().extend({ pattern: pattern() }),
  async check(config, context) {
    const unusable = checkPattern(config.pattern);
    if (unusable) return unusable;
    const end = await runToSuccess(config, context);
    return typeof end === 'string' ? failed(end) : checkMatches(outputOf(config.command, end), config.pattern);
  },
});
