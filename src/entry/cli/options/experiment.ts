import { type Command, Option } from 'commander';
import type { ExperimentQuestion } from '../../../compose/experiment/plan-experiment.ts';
import { AssayError } from '../../../domain/errors.ts';
import { type Variant, variantParts } from '../../../domain/variant.ts';
import { addFigureOptions, type FigureFlags } from './figures.ts';
import { integerOption, textOption } from './values.ts';

/** The values of the options below. */
export interface ExperimentFlags extends FigureFlags {
  readonly by?: keyof Variant;
  readonly reference?: string;
  readonly maxTrials?: number;
  readonly maxUsd?: number;
  readonly resume?: string;
}

/** Options that say what an experiment asks, and how many trials it may use. */
export function addExperimentOptions(command: Command): void {
  command
    .addOption(new Option('--by <part>', 'the part of the variants that is compared').choices(variantParts))
    .option('--reference <variant>', 'compare the others with this variant (default: the first)', textOption)
    .addOption(
      new Option('--until <when>', 'run rounds until the variants can be distinguished')
        .choices(['decided'])
        .default('decided'),
    )
    .option('--max-trials <n>', 'most trials of all variants together (default: 10 of each case)', integerOption(1));
  addFigureOptions(command);
}

const questionFlags = {
  by: '--by',
  reference: '--reference',
  maxTrials: '--max-trials',
  metric: '--metric',
  smallest: '--smallest',
  higherIsBetter: '--higher-is-better',
  lowerIsBetter: '--lower-is-better',
} as const satisfies Partial<Record<keyof ExperimentFlags, string>>;

/** The question of the options; `stored` where an earlier experiment is resumed, which knows its question. */
export function experimentQuestion(flags: ExperimentFlags): ExperimentQuestion | 'stored' {
  const { by, reference = null, maxTrials = null, maxUsd = null, metric = ['pass-rate'], smallest, resume } = flags;
  if (resume !== undefined) {
    assertNoQuestion(flags);
    return 'stored';
  }
  if (by === undefined) {
    throw new AssayError('USAGE', 'An experiment needs --by: the part of the variants to compare.', {
      hint: `Choose one of ${variantParts.join(', ')}.`,
    });
  }
  const [decides = 'pass-rate', ...others] = metric;
  if (others.length > 0) throw new AssayError('USAGE', 'One figure decides an experiment, but --metric names several.');
  const isHigherBetter = flags.higherIsBetter?.includes(decides)
    ? true
    : flags.lowerIsBetter?.includes(decides)
      ? false
      : null;
  return {
    by,
    reference,
    metric: decides,
    smallest: smallest?.get(decides) ?? null,
    isHigherBetter,
    maxTrials,
    maxUsd,
  };
}

/** The question was fixed before the first trial: one that changes with the results would decide nothing. */
function assertNoQuestion(flags: ExperimentFlags): void {
  const given = (Object.keys(questionFlags) as (keyof typeof questionFlags)[]).find((key) => flags[key] !== undefined);
  if (given === undefined) return;
  throw new AssayError('USAGE', `${questionFlags[given]} cannot be changed when an experiment is resumed.`, {
    hint: `Leave out ${questionFlags[given]}, or begin a new experiment without --resume.`,
  });
}
