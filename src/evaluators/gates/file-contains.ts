import { defineGate } from './gate.ts';
import { fileConfig, substring } from './gate-configs.ts';
import { checkContains } from './looked-at-text.ts';
import { unlessUnusable } from './unless-unusable.ts';
import { readWorkFile } from './work-file.ts';

/** A file contains a text. */
export const fileContains = defineGate({
  type: 'file_contains',
  label: 'File contains',
  summary: 'a file in the work directory contains a text',
  configSchema: fileConfig.extend({ substring }),
  check: (config, { workspace }) =>
    unlessUnusable(async () => checkContains(await readWorkFile(workspace.directory, config.path), config.substring)),
});
