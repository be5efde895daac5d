import type { FilePosition } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';

/** Enough to see how a scenario is judged without reading a long dataset once more. */
const checkedCases = 100;

/** A warning about cases that have metrics only: such a trial always ends as `error`. */
export async function assertsNothing(
  scenario: Scenario,
  at: FilePosition,
  evaluators: readonly Evaluator[],
): Promise<Problem[]> {
  const assertions = new Set(evaluators.filter(({ kind }) => kind === 'assertion').map(({ type }) => type));
  let checked = 0;
  for await (const { caseId, evaluators: specs } of scenario.cases()) {
    if (!specs.some(({ type }) => assertions.has(type))) {
      const subject = scenario.caseCount > 1 ? `case "${caseId}"` : 'this scenario';
      const message = `${subject} asserts nothing: its trials end as \`error\` (NOTHING_ASSERTED)`;
      return [{ at, message, hint: 'Add an assertion, such as `passCriteria`, a gate or a `judge`.' }];
    }
    if (++checked === checkedCases) break;
  }
  return [];
}
