import { problemOfPattern } from '../../shared/patterns.ts';
import { outputOf } from './command-output.ts';
import { shortened } from './excerpt.ts';
import { defineGate, failed } from './gate.ts';
import { commandConfig, pattern } from './gate-configs.ts';
import { checkMatches } from './looked-at-text.ts';
import { runToSuccess } from './run-command.ts';

/** What a shell command prints matches a regular expression. */
export const commandOutputMatches = defineGate({
  type: 'command_output_matches',
  label: 'Command output matches',
  summary: 'a shell command exits with 0 and its stdout matches a regular expression',
  configSchema: commandConfig.extend({ pattern }),
  async check(config, context) {
    const problem = problemOfPattern(config.pattern);
    if (problem) return failed(`Invalid regex pattern '${shortened(config.pattern)}': ${problem}`);
    const end = await runToSuccess(config, context);
    if (typeof end === 'string') return failed(end);
    return checkMatches(outputOf(config.command, end), config.pattern);
  },
});
