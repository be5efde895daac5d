import type { GateCheck } from '../gate.ts';
import type { fileContainsConfig } from '../gate-configs.ts';
import { checkContains } from './looked-at-text.ts';
import { unlessUnusable } from './unless-unusable.ts';
import { readWorkFile } from './work-file.ts';

/** How the gate `file_contains` looks at the work. */
export const checkFileContains: GateCheck<typeof fileContainsConfig> = (config, { workspace }) =>
  unlessUnusable(async () => checkContains(await readWorkFile(workspace.directory, config.path), config.substring));
