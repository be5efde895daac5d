import type { CommandSource } from '../../domain/interaction.ts';
import { asksForHelp, normalisedLine } from './command-line.ts';
import type { NameSubcommand } from './subcommand.ts';
import type { CommandResult, ToolCommand } from './tool-command.ts';

/** What one source tells of the commands of a trial. */
export interface CommandReading {
  readonly source: CommandSource;
  readonly commands: readonly ToolCommand[];
}

/** What a source knows of one command. */
export interface SeenCommand {
  readonly argv: readonly string[];
  readonly eventIndex: number;
  readonly exitCode: number | null;
  readonly result: CommandResult;
}

/** Commands in the form that all sources share. */
export function toolCommands(seen: readonly SeenCommand[], nameOf: NameSubcommand): ToolCommand[] {
  return seen.map(({ argv, eventIndex, exitCode, result }, index) => {
    const line = normalisedLine(argv);
    const isHelp = asksForHelp(argv.slice(1));
    const subcommand = nameOf(argv, line);
    return { index, eventIndex, line, subcommand, exitCode, result: isHelp ? 'succeeded' : result, isHelp };
  });
}
