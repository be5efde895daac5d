import { AssayError, type ErrorCode, type FilePosition, formatPosition } from './errors.ts';

/** One thing that is wrong in a user's file. */
export interface Problem {
  readonly at: FilePosition;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** `file:line:column: message` and, on a line of its own, what to do. */
export function formatProblem(problem: Problem): string {
  const hint = problem.hint ? `\n    ${problem.hint}` : '';
  return `${formatPosition(problem.at)}: ${problem.message}${hint}`;
}

/** All that is wrong in a set of files, thrown before anything is run. */
export class ProblemsError extends AssayError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], code: ErrorCode = 'FILE_INVALID') {
    super(code, problems.map(formatProblem).join('\n'), { hint: '' });
    this.name = 'ProblemsError';
    this.problems = problems;
  }
}
