import type { Scenario } from '../domain/scenario.ts';
import type { Trial } from '../domain/trial.ts';
import { trialId } from '../shared/ids.ts';

/** The trials of a run in order, made as they are asked for. The same run and files always give the same plan. */
export async function* plan(runId: string, scenarios: readonly Scenario[]): AsyncGenerator<Trial, void> {
  let ordinal = 0;
  for (const scenario of scenarios) {
    let caseNumber = 0;
    for await (const testCase of scenario.cases()) {
      caseNumber++;
      for (let repeat = 1; repeat <= scenario.repeat; repeat++) {
        const id = trialId([runId, scenario.file, scenario.contentHash, caseNumber, '', repeat]);
        yield { trialId: id, runId, ordinal: ordinal++, scenario, case: testCase, variant: {}, repeat };
      }
    }
  }
}

/** How many trials a plan for these scenarios has. */
export function plannedCount(scenarios: readonly Scenario[]): number {
  return scenarios.reduce((total, scenario) => total + scenario.caseCount * scenario.repeat, 0);
}
