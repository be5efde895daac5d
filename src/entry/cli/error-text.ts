import { type AssayError, formatPosition } from '../../domain/errors.ts';
import { formatProblem, ProblemsError } from '../../domain/problem.ts';
import { counted } from '../../shared/format.ts';

const listedProblems = 100;

/** An error for people: what happened, where, and what to do. */
export function errorText(error: AssayError, withStack: boolean): string {
  const stack = withStack && error.stack ? `\n${error.stack}\n${causeText(error.cause)}` : '';
  if (error instanceof ProblemsError) return `${problemsText(error)}${stack}`;
  const at = error.at ? `${formatPosition(error.at)}: ` : '';
  const hint = error.hint ? `\n  ${error.hint}` : '';
  return `error: ${at}${error.message}${hint}\n${stack}`;
}

function problemsText({ problems }: ProblemsError): string {
  const listed = problems
    .slice(0, listedProblems)
    .map((problem) => `${formatProblem(problem)}\n`)
    .join('');
  const unlisted = problems.length - listedProblems;
  const more = unlisted > 0 ? `… and ${counted(unlisted, 'more problem')}; \`assay validate --json\` lists all.\n` : '';
  const files = new Set(problems.map((problem) => problem.at.file)).size;
  const where = files === 1 ? '' : ` in ${counted(files, 'file')}`;
  return `${listed}${more}\n${counted(problems.length, 'problem')}${where}; nothing was run.\n`;
}

function causeText(cause: unknown): string {
  return cause instanceof Error && cause.stack ? `caused by ${cause.stack}\n` : '';
}
