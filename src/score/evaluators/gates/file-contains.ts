import { defineGate, fileConfig, substring } from './gate.ts';
import { checkContains } from './text-check.ts';
import { checkFile, readWorkFile } from './work-file.ts';

export const fileContains = defineGate({
  type: 'file_contains',
  label: 'File contains',
  summary: 'a file in the work directory contains a text',
  example: { path: 'report.md', substring: '# Summary' },
  configSchema: () => fileConfig().extend({ substring: substring() }),
  check: (config, { workspace }) =>
    checkFile(async () => checkContains(await readWorkFile(workspace.directory, config.path), config.substring)),
});
