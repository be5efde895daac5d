import type { Evaluator } from '../evaluator.ts';
import { commandJsonPath, commandOutputContains, commandOutputMatches, commandSucceeds } from './command-gates.ts';
import { fileContains, fileExists, fileMatches } from './file-gates.ts';
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
