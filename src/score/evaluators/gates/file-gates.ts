import { excerptOf } from '../excerpt.ts';
import { defineGate, fileConfig, passed, pattern, substring } from './gate.ts';
import { assertUsablePattern, checkContains, checkMatches } from './text-check.ts';
import { findWorkFile, kindOf, readWorkFile } from './work-file.ts';

export const fileExists = defineGate({
  type: 'file_exists',
  summary: 'a file or directory exists in the work directory',
  example: { path: 'report.md' },
  configSchema: fileConfig,
  async check({ path }, { workspace }) {
    const { stats } = await findWorkFile(workspace.directory, path);
    return passed(`${excerptOf(path)} exists: ${kindOf(stats)}`);
  },
});

export const fileContains = defineGate({
  type: 'file_contains',
  summary: 'a file in the work directory contains a text',
  example: { path: 'report.md', substring: '# Summary' },
  configSchema: () => fileConfig().extend({ substring: substring() }),
  async check(config, { workspace }) {
    return checkContains(await readWorkFile(workspace.directory, config.path), config.substring);
  },
});

export const fileMatches = defineGate({
  type: 'file_matches',
  summary: 'a file in the work directory matches a regular expression',
  example: { path: 'report.md', pattern: 'Total: [0-9]+' },
  configSchema: () => fileConfig().extend({ pattern: pattern() }),
  async check(config, { workspace }) {
    assertUsablePattern(config.pattern);
    return checkMatches(await readWorkFile(workspace.directory, config.path), config.pattern);
  },
});
