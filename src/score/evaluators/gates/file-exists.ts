import { excerptOf } from '../excerpt.ts';
import { defineGate, fileConfig, passed } from './gate.ts';
import { checkFile, findWorkFile, kindOf } from './work-file.ts';

export const fileExists = defineGate({
  type: 'file_exists',
  label: 'File exists',
  summary: 'a file or directory exists in the work directory',
  example: { path: 'report.md' },
  configSchema: fileConfig,
  check: ({ path }, { workspace }) =>
    checkFile(async () => {
      const { stats } = await findWorkFile(workspace.directory, path);
      return passed(`${excerptOf(path)} exists: ${kindOf(stats)}`);
    }),
});
