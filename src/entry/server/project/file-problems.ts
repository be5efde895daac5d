import { formatPosition } from '../../../domain/errors.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { FileProblem } from '../api/project.ts';

const longestText = 2_000;

/** Problems as an editor of one file shows them; what is wrong in another file is told at the start. */
export function fileProblems(
  path: string,
  problems: readonly Problem[],
  severity: FileProblem['severity'] = 'error',
): FileProblem[] {
  return problems.map(({ at, message, hint }) => {
    const isHere = at.file === path;
    return {
      line: isHere ? at.line : 1,
      column: isHere ? at.column : 1,
      message: clipped(isHere ? message : `${formatPosition(at)}: ${message}`),
      ...(hint ? { hint: clipped(hint) } : {}),
      severity,
    };
  });
}

function clipped(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)} …`;
}
