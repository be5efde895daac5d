import type { Scenario } from '../domain/scenario.ts';
import type { Trial, Variant } from '../domain/trial.ts';
import { contentKey } from '../shared/ids.ts';
import { canonicalJson } from '../shared/json.ts';

/**
 * The trials of a run in order, made as they are asked for. A trial's id follows from what the trial is: the same run,
 * scenario, variant, case and repeat always give the same id, which makes resuming and repeated writes harmless.
 */
export async function* plan(runId: string, scenarios: readonly Scenario[]): AsyncGenerator<Trial, void> {
  let ordinal = 0;
  for (const scenario of scenarios) {
    const variants = scenario.variants.map((variant) => ({ variant, key: variantKey(runId, scenario, variant) }));
    let caseNumber = 0;
    for await (const testCase of scenario.cases()) {
      caseNumber++;
      // Variants take turns, so that none of them runs at a busier time than the others.
      for (let repeat = 1; repeat <= scenario.repeat; repeat++) {
        for (const { variant, key } of variants) {
          const trialId = `t-${key}-${caseNumber}-${repeat}`;
          yield { trialId, runId, ordinal: ordinal++, scenario, case: testCase, variant, repeat };
        }
      }
    }
  }
}

function variantKey(runId: string, { file, contentHash }: Scenario, variant: Variant): string {
  const isDirect = Object.keys(variant).length === 0;
  return contentKey([runId, file, contentHash, ...(isDirect ? [] : [canonicalJson(variant)])]);
}

/** How many trials a plan for these scenarios has. */
export function plannedCount(scenarios: readonly Scenario[]): number {
  return scenarios.reduce((total, scenario) => total + trialCount(scenario), 0);
}

/** How many trials one scenario has. */
export function trialCount({ caseCount, variants, repeat }: Scenario): number {
  return caseCount * variants.length * repeat;
}
