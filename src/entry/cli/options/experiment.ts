import { type Command, Option } from 'commander';
import type { RunOptions } from '../../../domain/option-values.ts';
import type { Variant } from '../../../domain/variant.ts';
import { addFigureOptions, type FigureFlags } from './figures.ts';
import { integerOption, textOption } from './values.ts';
import { byOption } from './variant-part.ts';

const failOnAnswers = ['worse', 'not-better'] as const;

/** The values of the options below. */
export interface ExperimentFlags extends FigureFlags, Pick<RunOptions, 'maxUsd' | 'resume'> {
  readonly by?: keyof Variant;
  readonly failOn?: (typeof failOnAnswers)[number];
  readonly reference?: string;
  readonly maxTrials?: number;
}

/** Options that say what an experiment asks, and how many trials it may use. */
export function addExperimentOptions(command: Command): void {
  command
    .addOption(byOption('the part of the variants that is compared'))
    .option('--reference <variant>', 'compare the others with this variant (default: the first)', textOption)
    .option('--max-trials <n>', 'most trials of all variants together (default: 10 of each case)', integerOption(1))
    .addOption(new Option('--fail-on <answer>', 'exit 1 if any variant is').choices(failOnAnswers));
  addFigureOptions(command);
}
