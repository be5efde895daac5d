import { basename } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trial } from '../../domain/trial.ts';
import { isRecord } from '../../shared/json.ts';
import { isSuite } from './program.ts';
import { AssertionFailure, describeSafely } from './registration.ts';
import type { PlannedScenarios, ScenarioOptions, ScenarioSource } from './scenario-run.ts';
import { type ScenarioTrial, unjudgedText } from './scenario-trial.ts';

/** Time to end programs and servers after the time for the trials was up. */
const graceMs = 10_000;
const usualTimeoutMs = 120_000;

/** Runs scenarios, and returns their trials in order; no run is stored. */
export async function runScenario(scenario: ScenarioSource, options: ScenarioOptions = {}): Promise<ScenarioTrial[]> {
  const planned = await planOf(scenario, options);
  const finished = await planned.run(AbortSignal.timeout(options.timeout ?? usualTimeoutMs));
  return planned.trials.map((trial) => {
    const found = finished.get(trial);
    if (found) return found;
    throw new AssertionFailure(notRun);
  });
}

const notRun = 'Could not be judged: the run was stopped before this trial ended.';

/**
 * A suite for each scenario with a test for each trial, which all run once, before the first test. A test fails unless
 * its trial passed; then `check` may look at the trial.
 */
export function describeScenario(
  scenario: ScenarioSource,
  options: ScenarioOptions = {},
  check?: (trial: ScenarioTrial) => unknown,
): void {
  const { timeout = usualTimeoutMs } = options;
  describeSafely(titleOf(scenario), async () => {
    const planned = await planOf(scenario, options);
    const finished = new Map<Trial, ScenarioTrial>();
    beforeAll(async () => {
      for (const [trial, result] of await planned.run(AbortSignal.timeout(timeout))) finished.set(trial, result);
    }, timeout + graceMs);
    const test = (trial: Trial): void =>
      it(testName(trial), async () => {
        const result = finished.get(trial);
        if (!result) throw new AssertionFailure(notRun);
        if (result.outcome !== 'pass') throw new AssertionFailure(outcomeText(result.record));
        await check?.(result);
      });
    for (const [name, trials] of byScenario(planned)) {
      if (name === titleOf(scenario)) trials.forEach(test);
      else describe(name, () => trials.forEach(test));
    }
  });
}

async function planOf(scenario: ScenarioSource, options: ScenarioOptions): Promise<PlannedScenarios> {
  // Loaded here: a test file may use the matchers only.
  const { planScenarios } = await import('./scenario-run.ts');
  return planScenarios(scenario, options);
}

function titleOf(scenario: ScenarioSource): string {
  if (typeof scenario === 'string') return basename(scenario);
  return isRecord(scenario) && !isSuite(scenario) && typeof scenario.name === 'string' ? scenario.name : 'scenarios';
}

function byScenario({ trials }: PlannedScenarios): Map<string, Trial[]> {
  const groups = new Map<string, Trial[]>();
  for (const trial of trials) groups.set(trial.scenario.name, [...(groups.get(trial.scenario.name) ?? []), trial]);
  return groups;
}

function testName({ case: { caseId }, scenario, variant, repeat }: Trial): string {
  const ofVariant = scenario.variants.length > 1 ? ` [${Object.values(variant).join(', ')}]` : '';
  return `${caseId}${ofVariant}${scenario.repeat > 1 ? ` (${repeat} of ${scenario.repeat})` : ''}`;
}

/** Why a trial did not pass: its failed assertions, or why there is no verdict. */
export function outcomeText(record: TrialRecord): string {
  if (record.outcome !== 'fail') return unjudgedText(record);
  const failed = record.evaluatorResults.filter(({ state, isPart }) => state === 'fail' && !isPart);
  return ['Failed:', ...failed.map(({ type, reason }) => `  ${type}: ${reason}`)].join('\n');
}
