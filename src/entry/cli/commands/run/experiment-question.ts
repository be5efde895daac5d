import { AssayError } from '../../../../domain/errors.ts';
import type { ExperimentWish } from '../../../../domain/experiment.ts';
import { variantParts } from '../../../../domain/variant.ts';
import { partName } from '../../../../domain/variant-text.ts';
import type { ExperimentFlags } from '../../options/experiment.ts';

const questionFlags = {
  by: '--by',
  reference: '--reference',
  maxTrials: '--max-trials',
  metric: '--metric',
  smallest: '--smallest',
  higherIsBetter: '--higher-is-better',
  lowerIsBetter: '--lower-is-better',
} as const satisfies Partial<Record<keyof ExperimentFlags, string>>;

/** The question of the options; undefined where an earlier experiment is resumed, which has its question. */
export function experimentWish(flags: ExperimentFlags): ExperimentWish | undefined {
  const { by, reference, maxTrials, metric = ['pass-rate'], smallest, resume } = flags;
  if (resume !== undefined) {
    assertNoQuestion(flags);
    return undefined;
  }
  const hint = `Choose one of ${variantParts.map(partName).join(', ')}.`;
  if (by === undefined)
    throw new AssayError('USAGE', 'An experiment needs --by: the part of the variants to compare.', { hint });
  if (!variantParts.includes(by)) throw new AssayError('USAGE', `--by "${by}" is not a part of variants.`, { hint });
  const [decides = 'pass-rate', ...others] = metric;
  if (others.length > 0) throw new AssayError('USAGE', 'One figure decides an experiment, but --metric names several.');
  const isHigher = flags.higherIsBetter?.includes(decides);
  const isLower = flags.lowerIsBetter?.includes(decides);
  const isHigherBetter = isHigher ? true : isLower ? false : undefined;
  return { by, reference, metric: decides, smallest: smallest?.get(decides), isHigherBetter, maxTrials };
}

/** The question was fixed before the first trial: one that changes with the results would decide nothing. */
function assertNoQuestion(flags: ExperimentFlags): void {
  const given = (Object.keys(questionFlags) as (keyof typeof questionFlags)[]).find((key) => flags[key] !== undefined);
  if (given === undefined) return;
  throw new AssayError('USAGE', `${questionFlags[given]} cannot be changed when an experiment is resumed.`, {
    hint: `Leave out ${questionFlags[given]}, or begin a new experiment without --resume.`,
  });
}
