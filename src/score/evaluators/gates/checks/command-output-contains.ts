import { failed, type GateCheck } from '../gate.ts';
import type { outputContainsConfig } from '../gate-configs.ts';
import { outputOf } from './command-output.ts';
import { checkContains } from './looked-at-text.ts';
import { runToSuccess } from './run-command.ts';

/** How the gate `command_output_contains` looks at the work. */
export const checkCommandOutputContains: GateCheck<typeof outputContainsConfig> = async (config, context) => {
  const end = await runToSuccess(config, context);
  if (typeof end === 'string') return failed(end);
  return checkContains(outputOf(config.command, end), config.substring);
};
