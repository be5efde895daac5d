import { type Command, InvalidArgumentError, Option } from 'commander';
import { AssayError } from '../../../domain/errors.ts';
import { runOptions } from '../../../domain/run-options/index.ts';
import {
  isInRange,
  nameOfOption,
  type OptionCommand,
  type RunOption,
  rangeText,
} from '../../../domain/run-options/run-option.ts';
import { armOption, listOption, numberIn, shareOption, textOption } from './values.ts';

type Read = (text: string, before: unknown) => unknown;

/** A flag of the list of options. Its value is kept under the key of its option, which aliases share. */
export class ListedFlag extends Option {
  readonly option: RunOption;
  /** An alias is never listed. */
  readonly isAlias: boolean;

  constructor(flag: string, help: string, option: RunOption, isAlias = false) {
    super(flag, help);
    this.option = option;
    this.isAlias = isAlias;
    this.negate = false;
    this.helpGroup(`${option.section}:`);
  }

  override attributeName(): string {
    return this.option.key;
  }
}

/** Adds the options of the list that a command has. */
export function addRunOptions(command: Command, name: OptionCommand): void {
  for (const option of runOptions) {
    const { flag, help, common, commands, aliases = [] } = option;
    if (flag !== undefined && commands.includes(name)) {
      if (option.isArgument) command.argument(flag, help);
      else command.addOption(flagOf(option, { flag, help }).hideHelp(!common));
    }
    for (const alias of aliases) {
      if (!(alias.commands ?? commands).includes(name)) continue;
      command.addOption(flagOf(option, alias).hideHelp(!alias.common));
    }
  }
}

function flagOf(
  option: RunOption,
  { flag, help, value }: { readonly flag: string; readonly help?: string; readonly value?: boolean | string },
): Option {
  const same = `${value === false ? 'the opposite of' : 'the same as'} ${nameOfOption(option)}${typeof value === 'string' ? ` ${value}` : ''}`;
  const listed = new ListedFlag(flag, help ?? same, option, help === undefined);
  if (option.value.kind === 'choice') return listed.choices(option.value.of);
  if (option.value.kind === 'switch') return listed.preset(flag).argParser(switched(value !== false));
  const read = readerOf(option);
  return value === undefined ? listed.argParser(read) : listed.preset(String(value)).argParser(read);
}

/** Two words for one switch must not contradict each other. */
function switched(value: boolean): Read {
  return (flag, before) => {
    if (before === undefined || before === value) return value;
    throw new AssayError('USAGE', `${flag} contradicts another option.`, { hint: 'Leave out one of them.' });
  };
}

function readerOf({ value }: RunOption): Read {
  switch (value.kind) {
    case 'integer':
    case 'number':
      return (text) => {
        const number = numberIn(text);
        if (isInRange(value, number)) return number;
        throw new InvalidArgumentError(`It must be ${rangeText(value)}.`);
      };
    case 'share':
      return shareOption;
    case 'names':
      return (text, before) => namesIn(listOption(text, before as string[] | undefined), value.of);
    case 'structure':
      return armOption as Read;
    default:
      return (text) => textWithin(textOption(text), 'longest' in value ? value.longest : undefined);
  }
}

function namesIn(names: readonly string[], allowed: readonly string[] | undefined): readonly string[] {
  const unknown = allowed && names.find((name) => !allowed.includes(name));
  if (unknown === undefined) return names;
  throw new InvalidArgumentError(`"${unknown}" is not one of ${allowed?.join(', ')}.`);
}

function textWithin(text: string, longest: number | undefined): string {
  if (longest === undefined) return text;
  if (text.trim().length <= longest) return text.trim();
  throw new InvalidArgumentError(`It must not be longer than ${longest} characters.`);
}
