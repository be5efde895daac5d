import { defineGate, failed, passed } from './gate.ts';
import { commandConfig } from './gate-configs.ts';
import { quoted, runToSuccess } from './run-command.ts';

/** A shell command in the work directory ends with exit code 0. */
export const commandSucceeds = defineGate({
  type: 'command_succeeds',
  label: 'Command succeeds',
  summary: 'a shell command in the work directory exits with 0',
  configSchema: commandConfig,
  async check(config, context) {
    const end = await runToSuccess(config, context);
    return typeof end === 'string' ? failed(end) : passed(`${quoted(config.command)} exited with 0`);
  },
});
