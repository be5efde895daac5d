import type { Interaction } from '../../domain/interaction.ts';
import type { ToolCommand } from './tool-command.ts';

/** The figures of a list of commands. */
type InteractionFigures = Interaction['subcommands'][string];

/**
 * The figures of all commands, and of each subcommand.
 *
 * Commands are the same when their lines are. Asking for help counts as a command that succeeded, whatever its exit
 * code. A command with an unknown exit code, or one whose failure Assay injected, counts neither as an error nor as a
 * success. Every figure is 0 when there is no command.
 */
export function figuresOf(commands: readonly ToolCommand[]): {
  readonly all: InteractionFigures;
  readonly subcommands: Record<string, InteractionFigures>;
} {
  const retries = new Set(retriesAfterFailure(commands));
  const groups = new Map<string, ToolCommand[]>();
  for (const command of commands) {
    if (command.subcommand === undefined) continue;
    const group = groups.get(command.subcommand);
    if (group) group.push(command);
    else groups.set(command.subcommand, [command]);
  }
  const subcommands = Object.fromEntries([...groups].map(([name, group]) => [name, figures(group, retries)]));
  return { all: figures(commands, retries), subcommands };
}

/** Commands that repeat the subcommand of the command directly before them, which failed; a help request is not a repetition. */
function retriesAfterFailure(commands: readonly ToolCommand[]): ToolCommand[] {
  return commands.filter((command, index) => {
    const before = commands[index - 1];
    if (command.isHelp || before === undefined || subjectOf(before) !== subjectOf(command)) return false;
    return before.result === 'failed' || before.result === 'injected';
  });
}

function subjectOf({ subcommand, line }: ToolCommand): string {
  return subcommand ?? line;
}

function figures(commands: readonly ToolCommand[], retries: ReadonlySet<ToolCommand>): InteractionFigures {
  const total = commands.length;
  const firsts = firstOccurrences(commands);
  const errors = count(commands, ({ result }) => result === 'failed');
  const share = (part: number): number => (total === 0 ? 0 : part / total);
  return {
    total_commands: total,
    unique_commands: firsts.length,
    error_count: errors,
    error_rate: share(errors),
    retry_count: total - firsts.length,
    retry_rate: share(total - firsts.length),
    retries_after_failure: count(commands, (command) => retries.has(command)),
    help_invocations: count(commands, ({ isHelp }) => isHelp),
    first_try_success_rate: share(count(firsts, ({ result }) => result === 'succeeded')),
    iteration_ratio: share(firsts.length),
  };
}

/** The first command with each line. */
export function firstOccurrences(commands: readonly ToolCommand[]): ToolCommand[] {
  const lines = new Set<string>();
  return commands.filter(({ line }) => !lines.has(line) && lines.add(line));
}

function count(commands: readonly ToolCommand[], isCounted: (command: ToolCommand) => boolean): number {
  return commands.filter(isCounted).length;
}
