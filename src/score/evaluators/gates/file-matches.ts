import { defineGate, fileConfig, pattern } from './gate.ts';
import { checkMatches, checkPattern } from './text-check.ts';
import { checkFile, readWorkFile } from './work-file.ts';

export const fileMatches = defineGate({
  type: 'file_matches',
  label: 'File matches',
  summary: 'a file in the work directory matches a regular expression',
  example: { path: 'report.md', pattern: 'Total: [0-9]+' },
  configSchema: () => fileConfig().extend({ pattern: pattern() }),
  check: (config, { workspace }) =>
    checkPattern(config.pattern) ??
    checkFile(async () => checkMatches(await readWorkFile(workspace.directory, config.path), config.pattern)),
});
