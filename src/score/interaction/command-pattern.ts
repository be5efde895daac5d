import { RE2JS } from 're2js';
import { commandLine, firstOperand, programName } from './command-line.ts';
import type { TrackedTool } from './tool-command.ts';

/** Where a pattern was found in a line. */
export interface PatternFind {
  readonly start: number;
  /** Text of the first group. */
  readonly firstGroup: string | undefined;
  /** Text that names the subcommand: the second group, else the first. */
  readonly captured: string | undefined;
}

/** A compiled `command_pattern`; searching takes time linear in the line. */
export interface CommandPattern {
  readonly hasGroup: boolean;
  find(line: string): PatternFind | undefined;
}

/** A pattern that can be used, or why it cannot. */
type CompiledPattern = { readonly pattern: CommandPattern } | { readonly problem: string };

/** The pattern of the tool, or the default one when it has none. */
export function compileCommandPattern({ binary, binaries = [], commandPattern }: TrackedTool): CompiledPattern {
  const isGiven = commandPattern !== undefined && commandPattern.trim() !== '';
  return compile(isGiven ? commandPattern : defaultPattern([binary, ...binaries]));
}

/** A command of the tool at the start of a line. */
function defaultPattern(binaries: readonly string[]): string {
  const names = binaries.map((binary) => RE2JS.quote(programName(binary))).join('|');
  return `^\\s*(${names})\\s+(--help|\\S+)\\b`;
}

function compile(source: string): CompiledPattern {
  try {
    return { pattern: patternOf(RE2JS.compile(source)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    return { problem: `The command pattern ${source} cannot be used: ${reason}.` };
  }
}

function patternOf(program: RE2JS): CommandPattern {
  return {
    hasGroup: program.groupCount() > 0,
    find(line) {
      const matcher = program.matcher(line);
      if (!matcher.find()) return undefined;
      const groupCount = matcher.groupCount();
      const firstGroup = groupCount >= 1 ? (matcher.group(1) ?? undefined) : undefined;
      const second = groupCount >= 2 ? (matcher.group(2) ?? undefined) : undefined;
      return { start: matcher.start(), firstGroup, captured: second ?? firstGroup };
    },
  };
}

/** Names the subcommand of a command; undefined where it has none, or where the pattern captures none. */
export type NameSubcommand = (argv: readonly string[], line: string) => string | undefined;

/** How subcommands are named for this tool, and what is wrong with its pattern. */
interface SubcommandNaming {
  readonly nameOf: NameSubcommand;
  readonly problem: string | undefined;
}

/**
 * With a pattern, what its group captures; with a pattern without a group, nothing: there are only aggregate figures.
 * Without a pattern, the first argument that is not an option.
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
