import { defineGate } from './gate.ts';
import { fileMatchesConfig } from './gate-configs.ts';

/** A file matches a regular expression. */
export const fileMatches = defineGate({
  type: 'file_matches',
  label: 'File matches',
  summary: 'a file in the work directory matches a regular expression',
  example: { path: 'report.md', pattern: 'Total: [0-9]+' },
  configSchema: fileMatchesConfig,
  loadCheck: async () => (await import('./checks/file-matches.ts')).checkFileMatches,
});
