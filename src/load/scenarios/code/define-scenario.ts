import type { OwnEvaluators, ScenarioDefinition, SuiteDefinition } from './scenario-definition.ts';

/** Another copy of this package may have made the suite, so the mark is shared by all of them. */
const suiteMark = Symbol.for('assay.suite');

/** A scenario of any kind. The type argument names the evaluators of plug-ins: `{ polite: { words?: string[] } }`. */
export function defineScenario<Own extends OwnEvaluators = Record<never, never>>(
  definition: ScenarioDefinition<NoInfer<Own>>,
): ScenarioDefinition {
  // Its evaluators are checked, so a suite need not know those of plug-ins.
  return definition as ScenarioDefinition;
}

/** Scenarios of one file; its tags are added to theirs, its other values count where a scenario has none. */
export function defineSuite<Own extends OwnEvaluators = Record<never, never>>(
  definition: SuiteDefinition<NoInfer<Own>>,
): SuiteDefinition {
  return Object.defineProperty({ ...definition } as SuiteDefinition, suiteMark, { value: true });
}

/** Whether a value was made by `defineSuite`. */
export function isSuite(value: unknown): boolean {
  return typeof value === 'object' && value !== null && suiteMark in value;
}
