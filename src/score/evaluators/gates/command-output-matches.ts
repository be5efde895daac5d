import { defineGate } from './gate.ts';
import { outputMatchesConfig } from './gate-configs.ts';

/** What a shell command prints matches a regular expression. */
export const commandOutputMatches = defineGate({
  type: 'command_output_matches',
  label: 'Command output matches',
  summary: 'a shell command exits with 0 and its stdout matches a regular expression',
  example: { command: 'tasks list', pattern: '\\d+ open' },
  configSchema: outputMatchesConfig,
  loadCheck: async () => (await import('./checks/command-output-matches.ts')).checkCommandOutputMatches,
});
