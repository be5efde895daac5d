import type { Evaluator } from '../evaluator.ts';
import { commandJsonPath } from './command-json-path.ts';
import { commandOutputContains } from './command-output-contains.ts';
import { commandOutputMatches } from './command-output-matches.ts';
import { commandSucceeds } from './command-succeeds.ts';
import { fileContains } from './file-contains.ts';
import { fileExists } from './file-exists.ts';
import { fileMatches } from './file-matches.ts';
import { noTranscriptErrors } from './no-transcript-errors.ts';
import { reward } from './reward.ts';
import { script } from './script.ts';

/** Every gate. */
export const gates: readonly Evaluator[] = [
  commandSucceeds,
  commandOutputContains,
  commandOutputMatches,
  commandJsonPath,
  fileExists,
  fileContains,
  fileMatches,
  noTranscriptErrors,
  script,
  reward,
];
