import { commandConfig, defineGate, failed, passed } from './gate.ts';
import { quoted, runToSuccess } from './run-command.ts';

export const commandSucceeds = defineGate({
  type: 'command_succeeds',
  label: 'Command succeeds',
  summary: 'a shell command in the work directory exits with 0',
  example: { command: 'npm test' },
  configSchema: commandConfig,
  async check(config, context) {
    const end = await runToSuccess(config, context);
    return typeof end === 'string' ? failed(end) : passed(`${quoted(config.command)} exited with 0`);
  },
});
