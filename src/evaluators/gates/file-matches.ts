import { problemOfPattern } from '../../shared/patterns.ts';
import { shortened } from './excerpt.ts';
import { defineGate, failed } from './gate.ts';
import { fileConfig, pattern } from './gate-configs.ts';
import { checkMatches } from './looked-at-text.ts';
import { unlessUnusable } from './unless-unusable.ts';
import { readWorkFile } from './work-file.ts';

/** A file matches a regular expression. */
export const fileMatches = defineGate({
  type: 'file_matches',
  label: 'File matches',
  summary: 'a file in the work directory matches a regular expression',
  configSchema: fileConfig.extend({ pattern }),
  check(config, { workspace }) {
    const problem = problemOfPattern(config.pattern);
    if (problem) return failed(`Invalid regex pattern '${shortened(config.pattern)}': ${problem}`);
    return unlessUnusable(async () =>
      checkMatches(await readWorkFile(workspace.directory, config.path), config.pattern),
    );
  },
});
