import { excerptOf } from './excerpt.ts';
import { defineGate, passed } from './gate.ts';
import { fileConfig } from './gate-configs.ts';
import { unlessUnusable } from './unless-unusable.ts';
import { findWorkFile, kindOf } from './work-file.ts';

/** A file or directory is there. */
export const fileExists = defineGate({
  type: 'file_exists',
  label: 'File exists',
  summary: 'a file or directory exists in the work directory',
  configSchema: fileConfig,
  check: ({ path }, { workspace }) =>
    unlessUnusable(async () => {
      const { stats } = await findWorkFile(workspace.directory, path);
      return passed(`${excerptOf(path)} exists: ${kindOf(stats)}`);
    }),
});
