import { Command } from 'commander';
import type { CliContext } from './context.ts';

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
  load(): Promise<CliCommand>;
}

/** The parser of a command, with the options that every command has. */
export function parserOf({ name, summary }: CommandEntry, command: CliCommand): Command {
  const parser = new Command(`assay ${name}`)
    .description(summary)
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .allowExcessArguments(false);
  command.configure(parser);
  return parser.optionsGroup('Options:').option('-d, --debug', 'verbose output with stack traces');
}
