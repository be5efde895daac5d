import { type GateCheck, passed } from '../gate.ts';
import type { fileConfig } from '../gate-configs.ts';
import { excerptOf } from './excerpt.ts';
import { unlessUnusable } from './unless-unusable.ts';
import { findWorkFile, kindOf } from './work-file.ts';

/** How the gate `file_exists` looks at the work. */
export const checkFileExists: GateCheck<typeof fileConfig> = ({ path }, { workspace }) =>
  unlessUnusable(async () => {
    const { stats } = await findWorkFile(workspace.directory, path);
    return passed(`${excerptOf(path)} exists: ${kindOf(stats)}`);
  });
