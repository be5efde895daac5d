import { type AssayError, formatPosition } from '../domain/errors.ts';
import { ProblemsError } from '../domain/problem.ts';
import { counted } from '../shared/numbers.ts';

/** An error for people: what happened, where, and what to do. */
export function errorText(error: AssayError, withStack: boolean): string {
  const stack = withStack && error.stack ? `\n${error.stack}\n${causeText(error.cause)}` : '';
  if (error instanceof ProblemsError) {
    const files = new Set(error.problems.map((problem) => problem.at.file)).size;
    const where = files === 1 ? '' : ` in ${counted(files, 'file')}`;
    return `${error.message}\n\n${counted(error.problems.length, 'problem')}${where}; nothing was run.\n${stack}`;
  }
  const at = error.at ? `${formatPosition(error.at)}: ` : '';
  const hint = error.hint ? `\n  ${error.hint}` : '';
  return `error: ${at}${error.message}${hint}\n${stack}`;
}

function causeText(cause: unknown): string {
  return cause instanceof Error && cause.stack ? `caused by ${cause.stack}\n` : '';
}
