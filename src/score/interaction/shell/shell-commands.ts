import { commandLine, normalisedLine, programName } from '../command-line.ts';
import { parseShell } from './parse-shell.ts';
import { type CommandRole, type InferredExit, inferChainExits, type ShellExit, withoutNegation } from './shell-exit.ts';
import { programOf, type ShellProgram } from './shell-program.ts';
import type { AndOrChain, Pipeline, ShellCommand, ShellList, ShellWord, SimpleCommand } from './shell-word.ts';

/** An invocation of the tool that is written in a shell command line. */
export interface ShellInvocation {
  /** Program and arguments; what the shell expands stays as it was written. */
  readonly argv: readonly string[];
  /** As `ToolCommand.line`. */
  readonly line: string;
  /** With the program as it was written. */
  readonly writtenLine: string;
  readonly exit: ShellExit;
  /** Whether the exit code of the line leaves no doubt that it ran. */
  readonly isCertain: boolean;
  /** The part of `line` that the shell does not change; all of it where nothing is expanded. */
  readonly exactPrefix: string;
  readonly isExact: boolean;
  readonly isByPath: boolean;
}

/** Finds what a shell command line runs of the tool, in the order of the text, given how the whole line ended. */
export function findInvocations(text: string, binary: string, whole: InferredExit): ShellInvocation[] {
  // Most lines have nothing to do with the tool, and reading them costs more than this.
  if (!text.includes(programName(binary))) return [];
  const walk = new Walk(binary);
  walk.list(parseShell(text), whole, 0);
  return walk.found;
}

const unknown: ShellExit = undefined;

class Walk {
  readonly found: ShellInvocation[] = [];
  readonly #binary: string;

  constructor(binary: string) {
    this.#binary = binary;
  }

  /** The last of a list decides the exit code; nothing is known of those before it, except that they ran. */
  list(list: ShellList, { exit, isCertain }: InferredExit, depth: number): void {
    let mayHaveStopped = false;
    let stopsOnFailure = false;
    for (const [index, chain] of list.entries()) {
      const decides = index === list.length - 1 && !chain.isBackground && (!mayHaveStopped || exit === 0);
      this.#chain(chain, { exit: decides ? exit : unknown, isCertain: isCertain && !mayHaveStopped }, depth);
      const stops = this.#stopsIn(chain);
      mayHaveStopped ||= stops.has('here') || (stopsOnFailure && this.#mayFail(chain));
      stopsOnFailure ||= stops.has('on-failure');
    }
  }

  #chain(chain: AndOrChain, whole: InferredExit, depth: number): void {
    const pipelines = pipelinesOf(chain);
    const parts = pipelines.map((pipeline, index) => ({
      operator: chain.rest[index - 1]?.operator,
      suspect: this.#suspect(pipeline),
    }));
    const fates = inferChainExits(parts, whole);
    for (const [index, pipeline] of pipelines.entries()) this.#pipeline(pipeline, fates[index] as InferredExit, depth);
  }

  /** The last of a pipeline decides its exit code. */
  #pipeline({ commands, isNegated }: Pipeline, { exit, isCertain }: InferredExit, depth: number): void {
    const ofLast = isNegated ? withoutNegation(exit) : exit;
    for (const [index, command] of commands.entries()) {
      const isLast = index === commands.length - 1;
      const fate = command.isConditional
        ? { exit: unknown, isCertain: false }
        : { exit: isLast ? ofLast : unknown, isCertain };
      if (command.kind === 'subshell') this.list(command.list, fate, depth);
      else this.#simple(command, fate, depth);
    }
  }

  #simple({ words, substitutions, isHeader }: SimpleCommand, fate: InferredExit, depth: number): void {
    const inner = [...words.flatMap((word) => word.substitutions), ...substitutions];
    const program = isHeader ? undefined : programOf(words, this.#binary);
    const isAssignment = program?.kind === 'other' && words.every((word) => /^\w+=/.test(word.text));
    for (const [index, list] of inner.entries()) {
      const decides = isAssignment && index === inner.length - 1;
      this.list(list, decides ? fate : { ...fate, exit: unknown }, depth);
    }
    if (program?.kind === 'tool') this.found.push(invocation(program.words, program.isFedByOther, fate));
    if (program?.kind === 'script') this.list(parseShell(program.text, depth + 1), fate, depth + 1);
  }

  #suspect({ commands }: Pipeline): CommandRole {
    const last = commands.at(-1) as ShellCommand;
    if (last.kind === 'subshell') return this.#suspectOfList(last.list);
    const program = programOf(last.words, this.#binary);
    if (program.kind === 'script') return this.#suspectOfScript(program);
    return program.kind === 'tool' ? 'tool' : program.suspect;
  }

  #suspectOfList(list: ShellList): CommandRole {
    const last = list.at(-1);
    return last ? this.#suspect(pipelinesOf(last).at(-1) as Pipeline) : 'harmless';
  }

  #suspectOfScript({ text }: ShellProgram & { readonly kind: 'script' }): CommandRole {
    return text.includes(programName(this.#binary)) ? 'tool' : 'other';
  }

  #mayFail(chain: AndOrChain): boolean {
    return pipelinesOf(chain).some((pipeline) => this.#suspect(pipeline) !== 'harmless');
  }

  #stopsIn(chain: AndOrChain): Set<'here' | 'on-failure' | undefined> {
    const commands = pipelinesOf(chain).flatMap((pipeline) => pipeline.commands);
    const programs = commands.flatMap((command) =>
      command.kind === 'simple' ? [programOf(command.words, this.#binary)] : [],
    );
    return new Set(programs.map((program) => (program.kind === 'other' ? program.stops : undefined)));
  }
}

function pipelinesOf({ first, rest }: AndOrChain): Pipeline[] {
  return [first, ...rest.map(({ pipeline }) => pipeline)];
}

function invocation(words: readonly ShellWord[], isFedByOther: boolean, fate: InferredExit): ShellInvocation {
  const argv = words.map((word) => word.text);
  const firstExpanded = words.findIndex((word) => !word.isExact);
  const isExact = firstExpanded === -1 && !isFedByOther;
  return {
    argv,
    line: normalisedLine(argv),
    writtenLine: commandLine(argv),
    exit: fate.exit,
    isCertain: fate.isCertain && !isFedByOther,
    exactPrefix: normalisedLine(firstExpanded === -1 ? argv : argv.slice(0, firstExpanded)),
    isExact,
    isByPath: argv[0]?.includes('/') ?? false,
  };
}
