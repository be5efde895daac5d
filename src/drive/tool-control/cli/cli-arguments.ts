import { anyArgument } from '../../../domain/tool-control/cli-mocks.ts';
import type { NumberedCall } from '../control.ts';

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
