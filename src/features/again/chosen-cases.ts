import { AssayError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { RunRequest } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { counted } from '../../shared/format.ts';
import { canonicalJson } from '../../shared/json.ts';

type ChosenCases = NonNullable<RunRequest['only']>;

/** The scenarios with their chosen cases, under the variants that any of these was chosen under. */
export async function withChosenCases(
  scenarios: readonly Scenario[],
  only: ChosenCases,
  warn: (problem: Problem) => void,
): Promise<readonly Scenario[]> {
  const kept: Scenario[] = [];
  for (const scenario of scenarios) {
    const own = only.cases.filter((one) => one.scenario === scenario.name && one.file === scenario.file);
    if (own.length === 0) continue;
    const { chosen, gone } = await narrowed(scenario, own);
    if (chosen) kept.push(chosen);
    if (gone > 0)
      warn({
        at: { file: scenario.file, line: 1, column: 1 },
        message: `${counted(gone, 'case')} of ${only.runId} cannot be run again: the file does not have it now`,
      });
  }
  if (kept.length > 0) return kept;
  throw new AssayError(
    'NOTHING_TO_RUN',
    `None of ${counted(only.cases.length, 'case')} of ${only.runId} is there now.`,
    {
      hint: 'Run the scenario files that the run was made of.',
    },
  );
}

async function narrowed(
  scenario: Scenario,
  own: ChosenCases['cases'],
): Promise<{ readonly chosen: Scenario | undefined; readonly gone: number }> {
  const wanted = new Set(own.map(({ caseId }) => caseId));
  const wantedVariants = new Set(own.map(({ variant }) => canonicalJson(variant)));
  const variants = scenario.variants.filter((variant) => wantedVariants.has(canonicalJson(variant)));
  let caseCount = 0;
  for await (const { caseId } of scenario.cases()) if (wanted.has(caseId)) caseCount++;
  const gone = variants.length === 0 ? wanted.size : wanted.size - caseCount;
  if (caseCount === 0 || variants.length === 0) return { chosen: undefined, gone };
  const cases = async function* () {
    for await (const one of scenario.cases()) if (wanted.has(one.caseId)) yield one;
  };
  return { chosen: { ...scenario, variants, caseCount, cases }, gone };
}
