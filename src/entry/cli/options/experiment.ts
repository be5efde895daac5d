import { Command, Option } from 'commander';
import type { Variant } from '../../../domain/variant.ts';
import { addFigureOptions, type FigureFlags } from './figures.ts';
import { hiddenOption, integerOption, textOption } from './values.ts';

const failOnAnswers = ['worse', 'not-better'] as const;

/** The values of the options below. */
export interface ExperimentFlags extends FigureFlags {
  readonly by?: keyof Variant;
  readonly until?: 'decided';
  readonly failOn?: (typeof failOnAnswers)[number];
  readonly reference?: string;
  readonly maxTrials?: number;
  readonly maxUsd?: number;
  readonly resume?: string;
  readonly distributed?: boolean;
}

/** Options that say what an experiment asks, and how many trials it may use; `parts` are those it can compare. */
export function addExperimentOptions(command: Command, parts: readonly string[]): void {
  command
    .addOption(new Option('--by <part>', 'the part of the variants that is compared').choices(parts))
    .option('--reference <variant>', 'compare the others with this variant (default: the first)', textOption)
    .addOption(
      new Option('--until <when>', 'run rounds until the variants can be distinguished')
        .choices(['decided'])
        .default('decided'),
    )
    .option('--max-trials <n>', 'most trials of all variants together (default: 10 of each case)', integerOption(1))
    .addOption(new Option('--fail-on <answer>', 'exit 1 if any variant is').choices(failOnAnswers));
  addFigureOptions(command);
}

/** `--until` of `assay run`; the other options of an experiment are listed by its own help. */
export function addUntilOptions(command: Command): void {
  const description = 'run as an experiment: rounds until the variants of --by can be distinguished';
  command
    .addOption(new Option('--until <when>', description).choices(['decided']))
    .addOption(hiddenOption('--by <part>', 'the part of the variants that is compared', textOption))
    .addOption(hiddenOption('--reference <variant>', 'compare the others with this variant', textOption))
    .addOption(hiddenOption('--max-trials <n>', 'most trials of all variants together', integerOption(1)))
    .addOption(new Option('--fail-on <answer>', 'exit 1 if any variant is').choices(failOnAnswers).hideHelp());
  const figures = new Command();
  addFigureOptions(figures);
  for (const option of figures.options) command.addOption(option.hideHelp());
}
