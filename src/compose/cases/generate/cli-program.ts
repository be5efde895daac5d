import type { ListedTool } from '../../../mcp-check/definitions/listed-server.ts';
import type { HelpText } from './read-help.ts';

/** A program by its command line. */
export interface Program {
  /** The words that start it. */
  readonly words: readonly string[];
  /** The same words as files have them: with variables for secrets. */
  readonly written: readonly string[];
  readonly name: string;
}

/** A command of a program. */
export interface CliCommand {
  /** Empty for a program without commands. */
  readonly words: readonly string[];
  readonly help: HelpText;
  readonly tool: ListedTool;
}
