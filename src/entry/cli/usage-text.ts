import type { Command } from 'commander';
import { AssayError } from '../../domain/errors.ts';
import { didYouMean } from '../../shared/suggest.ts';

/** Options of other programs and of other commands, and what there is instead. */
const optionsElsewhere: Readonly<Record<string, string>> = {
  '--config': 'The config is found in the current folder or one above it: change the folder.',
  '--cwd': 'Change the folder first: `cd <folder> && assay …`.',
  '--format': '--reporter',
  '--reporter': '--format',
  '--provider': '--model',
  '--filter': '--scenario',
  '--parallel': '--concurrency',
  '--workers': '--concurrency',
  '--max-concurrency': '--concurrency',
  '--retries': '--retry-errors',
  '--budget': '--max-usd',
  '--runs': '--repeat',
  '--trials': '--repeat',
  '--verbose': '--debug',
  '--out': '--output',
  '--type': '--kind',
  '--guidance': '--arm',
  '--skills': '--arm',
  '--persona': '--arm',
  '--url': '--connector-url',
};

/** Values that an argument of this name can have. */
const argumentHints: Readonly<Record<string, string>> = {
  run: 'Name a run by its id, or write `latest`.',
  a: 'Name a run by its id, or write `latest`.',
  trial: 'Name a trial by its id: `assay show latest` lists those of a run.',
};

/** `argument 'guidence=v1' is invalid. It must begin with one of guidance, skills and `=`.` */
const choices =
  /argument '([^'=]*)[^']*' is invalid\. (?:Allowed choices are|It must begin with one of|"([^"]*)" is not one of) ([\w, -]+?)(?: and `=`)?\.$/;

/** The error of a parser on one line, and on the next a suggestion or where to read more. */
export function usageText(text: string, command: string, parser: Command): string {
  const [message = '', suggested] = text.trimEnd().split(/\n\((?=Did you mean)/);
  const hint = suggested?.replace(/\)$/, '') ?? hintFor(message, parser) ?? `See \`assay ${command} --help\`.`;
  return `${message}\n${purposeLine(message, parser)}  ${hint}\n`;
}

/** The purpose of the option whose value is missing or refused. */
function purposeLine(message: string, parser: Command): string {
  const [, flags] = /option '([^']+)' argument/.exec(message) ?? [];
  const option = parser.options.find((each) => each.flags === flags);
  // Choices are listed by the message, and complete the description.
  return option && !option.argChoices ? `  ${option.long ?? flags}: ${option.description}\n` : '';
}

function hintFor(message: string, parser: Command): string | undefined {
  const [, option] = /unknown option '([^'=]+)/.exec(message) ?? [];
  if (option !== undefined) return optionHint(option, parser);
  const [, value, part, allowed] = choices.exec(message) ?? [];
  if (value !== undefined && allowed !== undefined) return didYouMean(part ?? value, allowed.split(', '));
  const [, argument] = /missing required argument '([^']+)'/.exec(message) ?? [];
  return argument !== undefined && Object.hasOwn(argumentHints, argument) ? argumentHints[argument] : undefined;
}

function optionHint(option: string, parser: Command): string | undefined {
  const options = longNames(parser);
  const instead = Object.hasOwn(optionsElsewhere, option) ? optionsElsewhere[option] : undefined;
  if (instead !== undefined && !instead.startsWith('--')) return instead;
  // Also one that only `--help --all` lists.
  if (instead !== undefined && parser.options.some(({ long }) => long === instead)) return `Here it is \`${instead}\`.`;
  return didYouMean(option, options) ?? formatHint(option.slice('--'.length), options);
}

/** `--html` where reports are written: the formats are values of one option. */
function formatHint(name: string, options: readonly string[]): string | undefined {
  if (!['html', 'junit', 'markdown', 'csv', 'sarif', 'xml'].includes(name)) return undefined;
  const option = ['--format', '--reporter'].find((each) => options.includes(each));
  return option && `Write \`${option} ${name === 'xml' ? 'junit' : name}\`.`;
}

/** With one dash, a name would be read as a row of short options: `-repeat` as `-r epeat`. */
export function assertTwoDashes(args: readonly string[], parser: Command): void {
  const options = longNames(parser);
  const ended = args.indexOf('--');
  const given = ended < 0 ? args : args.slice(0, ended);
  const slip = given.find((word) => /^-[a-z][a-z-]{2,}/.test(word) && options.includes(`-${nameIn(word)}`));
  if (slip === undefined) return;
  const hint = `Write two dashes: \`-${nameIn(slip)}\`.`;
  throw new AssayError('USAGE', `Unknown option "${nameIn(slip)}".`, { hint });
}

function nameIn(word: string): string {
  return word.split('=', 1)[0] ?? word;
}

function longNames(parser: Command): string[] {
  return parser.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
}
