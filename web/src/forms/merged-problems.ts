import type { FieldProblem } from './field-problems.ts';
import { startsWith } from './form-context.ts';

/** Problems that a form found and those that the server found; of two about the same place, the server's. */
export function mergedProblems(own: readonly FieldProblem[], told: readonly FieldProblem[]): readonly FieldProblem[] {
  const further = own.filter(({ path }) => !told.some((problem) => startsWith(problem.path, path)));
  // What is missing in a group is told at the group by the server, and at its field by the form.
  const exact = told.filter(
    ({ path }) => !further.some((problem) => problem.path.length > path.length && startsWith(problem.path, path)),
  );
  return [...further, ...exact];
}
