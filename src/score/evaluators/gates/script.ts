import { defineGate } from './gate.ts';
import { commandConfig } from './gate-configs.ts';

/** A script says with JSON on its standard output, or with its exit code, whether the work passes. */
export const script = defineGate({
  type: 'script',
  label: 'Script',
  summary: 'a script exits with 0, or prints {"passed": true}',
  example: { command: './check.sh' },
  configSchema: commandConfig,
  loadCheck: async () => (await import('./checks/script.ts')).checkScript,
});
