/** The tool under test, as far as it must be known to find its commands. */
export interface TrackedTool {
  /** Name or path of the program. */
  readonly binary: string;
  /** Names or paths of further programs that belong to it. */
  readonly binaries?: readonly string[] | undefined;
  /** Finds commands in text; a group captures the subcommand. */
  readonly commandPattern?: string | undefined;
}

/** How a command ended: unknown where no source reports it, injected where Assay and not the tool answered a failure. */
export type CommandResult = 'succeeded' | 'failed' | 'unknown' | 'injected';

/** One command that the agent gave to the tool under test. */
export interface ToolCommand {
  /** Position among the commands of the trial, from 0. */
  readonly index: number;
  /** Position of its event in the trace. */
  readonly eventIndex: number;
  /** Normalised: whitespace collapsed, the path of the program reduced to its name. Equal lines are equal commands. */
  readonly line: string;
  readonly subcommand: string | undefined;
  /** Null where it was ended by a signal, or where its exit code is not known. */
  readonly exitCode: number | null;
  /** Asking for help never fails, whatever the exit code. */
  readonly result: CommandResult;
  readonly isHelp: boolean;
}

/** The settings of a scenario's target that name the tool under test; undefined for other kinds of target. */
export function trackedToolOf(targetConfig: unknown): TrackedTool | undefined {
  const { binary, binaries, commandPattern } = (targetConfig ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof binary !== 'string' || binary === '') return undefined;
  const further = Array.isArray(binaries) ? binaries.filter((name) => typeof name === 'string') : [];
  return {
    binary,
    ...(further.length > 0 && { binaries: further }),
    commandPattern: typeof commandPattern === 'string' ? commandPattern : undefined,
  };
}
