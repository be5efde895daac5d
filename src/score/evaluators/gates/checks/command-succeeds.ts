import { failed, type GateCheck, passed } from '../gate.ts';
import type { commandConfig } from '../gate-configs.ts';
import { quoted, runToSuccess } from './run-command.ts';

/** How the gate `command_succeeds` looks at the work. */
export const checkCommandSucceeds: GateCheck<typeof commandConfig> = async (config, context) => {
  const end = await runToSuccess(config, context);
  return typeof end === 'string' ? failed(end) : passed(`${quoted(config.command)} exited with 0`);
};
