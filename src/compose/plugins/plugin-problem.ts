import { AssayError, type FilePosition } from '../../domain/errors.ts';
import { ProblemsError } from '../../domain/problem.ts';

/** A plug-in as a config names it. */
export interface PluginEntry {
  /** A path relative to the config's folder, or the name of a package. */
  readonly specifier: string;
  /** Where the config names it. */
  readonly at?: FilePosition | undefined;
}

/** What is wrong with a plug-in. */
export interface PluginProblem {
  readonly entry: PluginEntry;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** All problems as one error, each at the place in the config that named the plug-in, where that is known. */
export function pluginsError(problems: readonly PluginProblem[]): AssayError {
  const located = problems.flatMap(({ entry: { at }, message, hint }) => (at ? [{ at, message, hint }] : []));
  if (located.length === problems.length) return new ProblemsError(located, 'CONFIG_INVALID');
  const hint = problems.find((problem) => problem.hint !== undefined)?.hint;
  return new AssayError('CONFIG_INVALID', problems.map(({ message }) => message).join('\n'), { hint });
}
