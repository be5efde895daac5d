import type { ArmChoice } from './arm-choice.ts';
import type { AttackChoice } from './attacks/attack-suite.ts';
import type { ExperimentWish } from './experiment.ts';
import { type KeptKey, type ListedOption, runOptions } from './run-options/index.ts';

/** Values with parts. */
export interface Structures {
  readonly arms: ArmChoice;
  readonly attacks: AttackChoice;
  readonly experiment: ExperimentWish;
}

/** The value that an option has. */
type ValueOf<Value> = Value extends { readonly kind: 'integer' | 'number' | 'share' }
  ? number
  : Value extends { readonly kind: 'switch' }
    ? boolean
    : Value extends { readonly kind: 'names'; readonly of: readonly (infer Name)[] }
      ? readonly Name[]
      : Value extends { readonly kind: 'names' }
        ? readonly string[]
        : Value extends { readonly kind: 'choice'; readonly of: readonly (infer Name)[] }
          ? Name
          : Value extends { readonly kind: 'structure'; readonly name: infer Name extends keyof Structures }
            ? Structures[Name]
            : string;

/** The options of a run, as any way gives them; absent: as files and config say. */
export type RunOptions = { readonly [Option in ListedOption as Option['key']]?: ValueOf<Option['value']> | undefined };

/** The options that a run keeps. */
export type KeptOptions = Pick<RunOptions, KeptKey>;

/** The values of some options that a run keeps when it goes on, or is run again. */
export function keptOptions(given: object, by: 'resume' | 'again'): KeptOptions {
  const keys = new Set(runOptions.filter(({ keptBy }) => keptBy.includes(by)).map(({ key }) => key));
  return Object.fromEntries(Object.entries(given).filter(([key, value]) => value !== undefined && keys.has(key)));
}

/**
 * The options of a new run that stand in the config: those that a run keeps, that have no default there, and that go
 * together with what was given.
 */
export function configuredOptions(given: RunOptions, config: object): KeptOptions {
  const [values, usual] = [new Map(Object.entries(given)), new Map(Object.entries(config))];
  const filled = runOptions.filter(
    ({ key, ways, keptBy, without, excludes = [] }) =>
      ways.includes('config') &&
      keptBy.includes('resume') &&
      without !== undefined &&
      values.get(key) === undefined &&
      usual.get(key) !== undefined &&
      excludes.every((other) => values.get(other) === undefined || values.get(other) === false),
  );
  return Object.fromEntries(filled.map(({ key }) => [key, usual.get(key)]));
}
