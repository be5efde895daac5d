import type { Command } from 'commander';
import type { CliContext } from './context.ts';

/** One command: its flags, and what it does with them. */
export interface CliCommand {
  /** Adds arguments, options and examples; must not do anything else. */
  configure(command: Command): void;
  /** Gives the exit code. */
  run(invocation: Invocation): Promise<number>;
}

export interface Invocation {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly context: CliContext;
}

/** A command as the table of contents knows it; its code is loaded only when it is called. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** For programs that Assay starts, not for people. */
  readonly isHidden?: boolean;
  load(): Promise<CliCommand>;
}
