import type { Command, Option } from 'commander';
import { nameOfOption } from '../../src/domain/run-options/run-option.ts';
import { parserOf } from '../../src/entry/cli/command.ts';
import { shownCommands } from '../../src/entry/cli/commands/index.ts';
import { ListedFlag } from '../../src/entry/cli/options/run-options.ts';
import { exitCodes } from '../../src/entry/cli/run-report.ts';
import { capitalized } from '../../src/shared/format.ts';
import { block, code, codes, page, section, sentence, table } from './markdown.ts';
import { type OptionExample, optionExamples } from './option-examples.ts';
import { exampleText, withoutText } from './run-options.ts';

/** Every command with its arguments and flags, as its parser knows them. */
export async function cliPage(): Promise<string> {
  const commands = await Promise.all(
    shownCommands.map(async (entry) => {
      const parser = parserOf(entry, await entry.load());
      return section(
        2,
        `assay ${entry.name}`,
        sentence(entry.summary),
        entry.aliases.length > 0 ? `Also called ${codes(entry.aliases.map((alias) => `assay ${alias}`))}.` : '',
        block('sh', `assay ${entry.name} ${parser.usage()}`),
        table(['argument', 'default', 'description'], parser.registeredArguments.map(argumentRow)),
        table(['option', 'without it', 'example', 'description'], optionRows(entry.name, listedOptions(parser))),
        await afterHelp(parser),
      );
    }),
  );
  const codesTable = table(
    ['exit code', 'meaning'],
    Object.entries(exitCodes).map(([exitCode, meaning]) => [code(exitCode), sentence(meaning)]),
  );
  return page(
    'Commands',
    'Every command of `assay`, with its arguments and options. `assay <command> --help` prints the same; options that are seldom needed are listed by `--help --all`. Those of a run are explained in [options of a run](run-options.md).',
    section(2, 'Exit codes', codesTable),
    ...commands,
  );
}

function argumentRow(argument: Command['registeredArguments'][number]): string[] {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`;
  return [
    code(argument.required ? `<${name}>` : `[${name}]`),
    argument.required ? 'required' : defaultOf(argument.defaultValue),
    sentence(argument.description),
  ];
}

/** Options of a command, without those that no help lists. */
export function listedOptions(parser: Command): Option[] {
  return parser.options.filter((option) => !option.hidden || option instanceof ListedFlag);
}

function optionRows(command: string, options: readonly Option[]): string[][] {
  return options
    .filter((option) => !isOtherWord(option))
    .map((option) => {
      const more =
        option instanceof ListedFlag ? otherWords(options, option) : edgesOf(command, option).map(capitalized);
      return [
        code(option.flags),
        withoutOf(command, option),
        code(exampleOf(command, option)),
        [capitalized(option.description), ...more].map(sentence).join(' '),
      ];
    });
}

/** Another word for an option: a row of its own would repeat that of the option. */
function isOtherWord(option: Option): boolean {
  return option instanceof ListedFlag && option.isAlias;
}

/** The other words for an option, in its own row. */
function otherWords(options: readonly Option[], { option, long }: ListedFlag): string[] {
  if (long !== nameOfOption(option)) return [];
  const words = options.filter((other) => isOtherWord(other) && other.attributeName() === option.key);
  return words.map(({ long, description }) => `${code(long ?? '')}: ${description}`);
}

/** The example of an option that takes a value and is not one of a run. */
export function writtenExample(command: string, { long }: Option): OptionExample | undefined {
  return optionExamples[`${command} ${long}`] ?? optionExamples[long ?? ''];
}

/** A switch is its own example. */
function exampleOf(command: string, option: Option): string {
  const name = option.long ?? '';
  if (option instanceof ListedFlag && takesValue(option)) return exampleText(option.option);
  return takesValue(option) ? `${name} ${writtenExample(command, option)?.example ?? ''}`.trim() : name;
}

function withoutOf(command: string, option: Option): string {
  if (option instanceof ListedFlag) return withoutText(option.option);
  if (!takesValue(option)) return option.negate ? 'on' : 'off';
  return defaultOf(option.defaultValue) || (writtenExample(command, option)?.without ?? '');
}

export function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** What an option does at its edges: what its example says, and the values next to usual ones that its parser refuses. */
function edgesOf(command: string, option: Option): string[] {
  const { edge } = writtenExample(command, option) ?? {};
  const refused = refusedBy(option).map((value) => (value === '' ? 'an empty text' : code(value)));
  return [edge ?? '', refused.length > 0 ? `refused: ${refused.join(', ')}` : ''].filter((text) => text !== '');
}

const unusual = ['', '-1', '0', '1.5', '65536', 'x'];

export function refusedBy(option: Option): string[] {
  return takesValue(option) ? unusual.filter((value) => !isAccepted(option, value)) : [];
}

/** Whether the parser of an option takes a value. */
export function isAccepted({ parseArg, defaultValue }: Option, value: string): boolean {
  try {
    parseArg?.(value, defaultValue);
    return true;
  } catch {
    return false;
  }
}

function defaultOf(value: unknown): string {
  if (value === undefined || value === true || value === false) return '';
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Examples and notes that the help shows below the options. */
async function afterHelp(parser: Command): Promise<string> {
  let text = '';
  parser.configureOutput({ writeOut: (piece) => (text += piece) });
  parser.outputHelp();
  const notes = text.slice(parser.helpInformation().length).trim();
  return notes === '' ? '' : block('text', notes);
}
