import { shellWord } from '../../shared/shell-words.ts';
import { oneLine } from '../../shared/text.ts';

/** The last part of a path: the name by which a program is known. */
export function programName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** The line one would type, with whitespace collapsed. */
export function commandLine(argv: readonly string[]): string {
  return oneLine(argv.map(shellWord).join(' '));
}

/** The line by which commands are compared: `commandLine` with the program reduced to its name. */
export function normalisedLine(argv: readonly string[]): string {
  return commandLine([programName(argv[0] ?? ''), ...argv.slice(1)]);
}

/** The first argument that is not an option. */
export function firstOperand(args: readonly string[]): string | undefined {
  return args.find((arg) => arg !== '' && !arg.startsWith('-'));
}

/** Whether the arguments ask for help: `--help`, `-h`, or `help` as the subcommand. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.some((arg) => arg === '--help' || arg === '-h') || firstOperand(args) === 'help';
}
