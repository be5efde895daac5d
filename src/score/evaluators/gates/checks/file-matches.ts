import { problemOfPattern } from '../../../../shared/patterns.ts';
import { failed, type GateCheck } from '../gate.ts';
import type { fileMatchesConfig } from '../gate-configs.ts';
import { shortened } from './excerpt.ts';
import { checkMatches } from './looked-at-text.ts';
import { unlessUnusable } from './unless-unusable.ts';
import { readWorkFile } from './work-file.ts';

/** How the gate `file_matches` looks at the work. */
export const checkFileMatches: GateCheck<typeof fileMatchesConfig> = async (config, { workspace }) => {
  const problem = problemOfPattern(config.pattern);
  if (problem) return failed(`Invalid regex pattern '${shortened(config.pattern)}': ${problem}`);
  return unlessUnusable(async () => checkMatches(await readWorkFile(workspace.directory, config.path), config.pattern));
};
