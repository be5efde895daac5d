import { Command, Option } from 'commander';
import type { CliContext } from './context.ts';
import { ListedFlag } from './options/run-options.ts';

/** One command: its flags, and what it does with them. */
export interface CliCommand {
  /** Adds arguments, options and examples; must not do anything else. */
  configure(command: Command): void;
  /** Gives the exit code. */
  run(invocation: Invocation): Promise<number>;
}

export interface Invocation {
  /** As they were given, flags and arguments. */
  readonly argv: readonly string[];
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly context: CliContext;
}

/** A command as the table of contents knows it; its code is loaded only when it is called. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Listed by `assay --help --all` only. */
  readonly isSeldom?: true;
  /** Whether it runs what a project says, or the option with which it does. */
  readonly runs: boolean | string | undefined;
  load(): Promise<CliCommand>;
}

/** The parser of a command, with the options that every command has; `isWhole` lists those that are seldom needed too. */
export function parserOf({ name, summary }: CommandEntry, command: CliCommand, isWhole = false): Command {
  const parser = new Command(`assay ${name}`).description(summary).exitOverride().allowExcessArguments(false);
  command.configure(parser);
  const seldom = parser.options.filter((option) => option instanceof ListedFlag && option.hidden && !option.isAlias);
  if (isWhole) for (const option of seldom) option.hidden = false;
  else if (seldom.length > 0)
    parser.addHelpText('after', `\n${seldom.length} more options: assay ${name} --help --all\n`);
  const listed = parser.options.filter(({ hidden }) => !hidden);
  const group = [...new Set(listed.map(({ helpGroupHeading }) => helpGroupHeading))].at(-1) ?? 'Options:';
  return parser
    .addOption(new Option('-d, --debug', 'verbose output with stack traces').helpGroup(group))
    .addHelpOption(new Option('-h, --help', 'show this help').helpGroup(group));
}
