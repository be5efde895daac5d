import { defineGate } from './gate.ts';
import { fileContainsConfig } from './gate-configs.ts';

/** A file contains a text. */
export const fileContains = defineGate({
  type: 'file_contains',
  label: 'File contains',
  summary: 'a file in the work directory contains a text',
  example: { path: 'report.md', substring: '# Summary' },
  configSchema: fileContainsConfig,
  loadCheck: async () => (await import('./checks/file-contains.ts')).checkFileContains,
});
