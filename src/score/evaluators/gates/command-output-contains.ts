import { defineGate } from './gate.ts';
import { outputContainsConfig } from './gate-configs.ts';

/** What a shell command prints contains a text. */
export const commandOutputContains = defineGate({
  type: 'command_output_contains',
  label: 'Command output contains',
  summary: 'a shell command exits with 0 and its stdout contains a text',
  example: { command: 'tasks list', substring: 'Buy milk' },
  configSchema: outputContainsConfig,
  loadCheck: async () => (await import('./checks/command-output-contains.ts')).checkCommandOutputContains,
});
