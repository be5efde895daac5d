import { anyArgument } from '../../../domain/tool-control/cli-mocks.ts';
import type { NumberedCall } from '../control.ts';

/** A call of a program, as its stand-in reports it. */
export interface CliCall {
  /** Name of the program. */
  readonly tool: string;
  /** Without the name of the program. */
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Whether stdout and stderr go to one place. */
  readonly isMerged: boolean;
  /** Identities of the files that they go to. */
  readonly outputFiles: readonly string[];
  /** Whether the arguments are exactly these, because all of them are UTF-8. */
  readonly isText: boolean;
}

/** The beginning of the standard input of a call. */
export interface CliInput {
  readonly bytes: Buffer;
  /** Whether it is all of it. */
  readonly ended: boolean;
  /** Whether nothing came within the time that was given. */
  readonly isIdle?: boolean;
}

/** Bytes that are to be read, from the beginning. */
export interface InputRequest {
  readonly bytes: number;
  /** How long to wait for each piece; as long as it takes without it. */
  readonly patienceSecs?: number;
}

/** The arguments of a call of a program, as a control sees them. */
interface CliArguments {
  /** Without the name of the program. */
  readonly argv: readonly string[];
  /** Undefined where it was not read. */
  readonly stdin?: string | undefined;
}

/** The arguments of a call at the border of programs. */
export function cliArgumentsOf({ args }: NumberedCall): CliArguments {
  return args as Readonly<Record<string, unknown>> & CliArguments;
}

/** Whether the first arguments of a call are the wanted ones. */
export function startsWith(argv: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length > argv.length) return false;
  return wanted.every((argument, index) => argument === anyArgument || argument === argv[index]);
}
