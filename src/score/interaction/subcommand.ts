import { commandLine, firstOperand } from './command-line.ts';
import { type CommandPattern, compileCommandPattern } from './command-pattern.ts';
import type { TrackedTool } from './tool-command.ts';

/** Names the subcommand of a command; undefined where it has none, or where the pattern captures none. */
export type NameSubcommand = (argv: readonly string[], line: string) => string | undefined;

/** How subcommands are named for this tool, and what is wrong with its pattern. */
interface SubcommandNaming {
  readonly nameOf: NameSubcommand;
  readonly problem: string | undefined;
}

/**
 * With a pattern, what its group captures; with a pattern without a group, nothing: there are only aggregate figures.
 * Without a pattern, the first argument that is no option.
 */
export function subcommandNaming(tool: TrackedTool): SubcommandNaming {
  if (!tool.commandPattern?.trim()) {
    return { nameOf: ([, ...args]) => firstOperand(args) ?? helpOption(args), problem: undefined };
  }
  const compiled = compileCommandPattern(tool);
  if ('problem' in compiled) return { nameOf: () => undefined, problem: compiled.problem };
  const { pattern } = compiled;
  return { nameOf: (argv, line) => capturedName(pattern, argv, line), problem: undefined };
}

/** A group that caught the option for help names the subcommand `help`. */
export function subcommandOf(captured: string | undefined): string | undefined {
  if (captured === '--help' || captured === '-h') return 'help';
  return captured === '' ? undefined : captured;
}

function helpOption(args: readonly string[]): string | undefined {
  return args.some((arg) => arg === '--help' || arg === '-h') ? 'help' : undefined;
}

/** A pattern may name the program by its path, which the normalised line does not have. */
function capturedName(pattern: CommandPattern, argv: readonly string[], line: string): string | undefined {
  const found = pattern.find(line) ?? pattern.find(commandLine(argv));
  return subcommandOf(found?.captured);
}
