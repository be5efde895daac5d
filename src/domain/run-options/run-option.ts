import { grouped } from '../../shared/format.ts';

/** Where an option can be given; a way that is left out is a decision. */
export type Way = 'cli' | 'config' | 'api' | 'mcp' | 'form';

/** Commands whose options come from the list. */
export type OptionCommand =
  | 'run'
  | 'attack'
  | 'experiment run'
  | 'experiment improve'
  | 'score trace'
  | 'score run'
  | 'score judge'
  | 'list scenarios';

/** Values of an option as plain data, so flags and forms need no schema library. */
export type OptionValue =
  | { readonly kind: 'text'; readonly longest?: number }
  | { readonly kind: 'integer'; readonly from: number; readonly to: number }
  /** From `from`, or above `above`. */
  | { readonly kind: 'number'; readonly from?: number; readonly above?: number; readonly to: number }
  /** `20%` or `0.2`. */
  | { readonly kind: 'share' }
  | { readonly kind: 'switch' }
  | { readonly kind: 'names'; readonly of?: readonly string[] }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  /** A value with parts, whose type `option-values.ts` has, and `option-schema.ts` its schema. */
  | { readonly kind: 'structure'; readonly name: 'arms' | 'attacks' | 'experiment' };

/** Another word for an option on the command line. */
interface OptionAlias {
  readonly flag: string;
  /** Stands for this value, and takes none. */
  readonly value?: boolean | string;
  /** Listed in the help with this text; an alias without one is not listed. */
  readonly help?: string;
  readonly common?: true;
  /** Where it differs from the option. */
  readonly commands?: readonly OptionCommand[];
}

type OptionSection =
  | 'Scenarios'
  | 'Agents and models'
  | 'How they run'
  | 'Verdict and reports'
  | 'Recordings'
  | 'Several machines';

/**
 * One option of a run. Request, config keys, API fields, MCP arguments, flags, forms and the reference are made from it,
 * and nothing else repeats it.
 */
export interface RunOption {
  readonly key: string;
  /** As the help shows it, such as `-s, --scenario <name>`; absent where the command line has none. */
  readonly flag?: string;
  /** It is an argument of commands and has no flag. */
  readonly isArgument?: true;
  readonly aliases?: readonly OptionAlias[];
  /** Its name in forms. */
  readonly label?: string;
  readonly help: string;
  /** Its help as a key of the config, where it is a default there. */
  readonly configHelp?: string;
  /** How a run goes without it; needed unless it is a switch or has a default in the config. */
  readonly without?: string;
  /** A value, as it is written on the command line. */
  readonly example?: string;
  readonly value: OptionValue;
  readonly ways: readonly Way[];
  readonly commands: readonly OptionCommand[];
  /** `resume`: a run that goes on has the value that it began with; `again`: a run again has it unless it gives another. */
  readonly keptBy: readonly ('resume' | 'again')[];
  /**
   * A run that goes on may be given another value: it decides how far the run goes, and nothing about its trials.
   * `optionsInEffect` says where the last value is kept; another option than the spending limit needs a line there.
   */
  readonly mayChange?: true;
  /** True: workers do the same as a local run. Otherwise why it is refused. */
  readonly distributed: true | string;
  /** Key of the option without which it means nothing. */
  readonly requires?: string;
  /** Keys of options that it cannot be combined with. */
  readonly excludes?: readonly string[];
  readonly section: OptionSection;
  /** Listed by `--help`; the others by `--help --all`. */
  readonly common?: true;
}

/** The name of an option in a way: `--repeat` on the command line, `repeat` elsewhere. */
export function nameOfOption({ flag, key }: Pick<RunOption, 'flag' | 'key'>, way: Way = 'cli'): string {
  const name = way === 'cli' ? /--[\w-]+/.exec(flag ?? '')?.[0] : undefined;
  return name ?? `\`${key}\``;
}

/** The range of a number in words; undefined for other values. */
export function rangeText(value: OptionValue): string | undefined {
  if (value.kind === 'integer') {
    const to = value.to < Number.MAX_SAFE_INTEGER ? ` to ${grouped(value.to)}` : '';
    return `a whole number from ${grouped(value.from)}${to}`;
  }
  if (value.kind !== 'number') return undefined;
  const { from = 0, above, to } = value;
  return above === undefined
    ? `a number from ${grouped(from)} to ${grouped(to)}`
    : `a number above ${grouped(above)} and at most ${grouped(to)}`;
}

/** Whether a number is in the range of an option. */
export function isInRange(value: OptionValue, number: number): boolean {
  if (value.kind === 'integer') return Number.isInteger(number) && number >= value.from && number <= value.to;
  if (value.kind !== 'number') return Number.isFinite(number) && number >= 0;
  const { from = Number.NEGATIVE_INFINITY, above = Number.NEGATIVE_INFINITY, to } = value;
  return number >= from && number > above && number <= to;
}
