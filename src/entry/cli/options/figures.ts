import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FigureChoice } from '../../../report/compare/compare-figures.ts';
import type { SmallestDifference } from '../../../report/compare/figures.ts';
import { listOption, numberIn } from './values.ts';

/** The values of the options below. */
export interface FigureFlags {
  readonly metric?: readonly string[];
  readonly smallest?: ReadonlyMap<string, SmallestDifference>;
  readonly higherIsBetter?: readonly string[];
  readonly lowerIsBetter?: readonly string[];
}

/** Options that say which figures count, in which direction and from which difference on. */
export function addFigureOptions(command: Command): void {
  command
    .option('--metric <names>', 'compare only these figures; the first one decides', listOption)
    .option(
      '--smallest <name=value>',
      'smallest difference that matters, such as pass-rate=0.02 or tokens=5%',
      smallest,
    )
    .option('--higher-is-better <names>', 'figures where a higher value is better', listOption)
    .option('--lower-is-better <names>', 'figures where a lower value is better', listOption);
}

/** Which question decides about the exit code. */
export function questionOption(): Option {
  const text = 'what decides: did these tasks get worse (default), or would others like them?';
  return new Option('--question <name>', text).choices(['these-tasks', 'tasks-like-these']);
}

/** The options as a comparison takes them. */
export function figureChoice({ metric, ...options }: FigureFlags): FigureChoice {
  return { only: metric, ...options };
}

function smallest(
  text: string,
  before: ReadonlyMap<string, SmallestDifference> = new Map(),
): ReadonlyMap<string, SmallestDifference> {
  const [, name, value] = /^(.+)=([^=]+)$/.exec(text) ?? [];
  const percent = value && /^(.+?)\s*%$/.exec(value.trim())?.[1];
  const number = numberIn(percent ?? value ?? '');
  if (name === undefined || !(number > 0)) {
    throw new InvalidArgumentError('It must be a name and a number above 0, such as pass-rate=0.02 or tokens=5%.');
  }
  const difference: SmallestDifference =
    percent === undefined ? { kind: 'absolute', value: number } : { kind: 'relative', share: number / 100 };
  return new Map([...before, [name.trim(), difference]]);
}
