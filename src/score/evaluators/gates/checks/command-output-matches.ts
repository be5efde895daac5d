import { problemOfPattern } from '../../../../shared/patterns.ts';
import { failed, type GateCheck } from '../gate.ts';
import type { outputMatchesConfig } from '../gate-configs.ts';
import { outputOf } from './command-output.ts';
import { shortened } from './excerpt.ts';
import { checkMatches } from './looked-at-text.ts';
import { runToSuccess } from './run-command.ts';

/** How the gate `command_output_matches` looks at the work. */
export const checkCommandOutputMatches: GateCheck<typeof outputMatchesConfig> = async (config, context) => {
  const problem = problemOfPattern(config.pattern);
  if (problem) return failed(`Invalid regex pattern '${shortened(config.pattern)}': ${problem}`);
  const end = await runToSuccess(config, context);
  if (typeof end === 'string') return failed(end);
  return checkMatches(outputOf(config.command, end), config.pattern);
};
