import { defineGate } from './gate.ts';
import { fileConfig } from './gate-configs.ts';

/** A file or directory is there. */
export const fileExists = defineGate({
  type: 'file_exists',
  label: 'File exists',
  summary: 'a file or directory exists in the work directory',
  example: { path: 'report.md' },
  configSchema: fileConfig,
  loadCheck: async () => (await import('./checks/file-exists.ts')).checkFileExists,
});
