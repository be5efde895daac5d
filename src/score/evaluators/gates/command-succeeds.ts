import { defineGate } from './gate.ts';
import { commandConfig } from './gate-configs.ts';

/** A shell command in the work directory ends with exit code 0. */
export const commandSucceeds = defineGate({
  type: 'command_succeeds',
  label: 'Command succeeds',
  summary: 'a shell command in the work directory exits with 0',
  example: { command: 'npm test' },
  configSchema: commandConfig,
  loadCheck: async () => (await import('./checks/command-succeeds.ts')).checkCommandSucceeds,
});
