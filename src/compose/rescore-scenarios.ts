import type { TrialRecord } from '../domain/record.ts';
import type { RunScenario } from '../domain/run.ts';
import type { Case, Scenario } from '../domain/scenario.ts';
import { CaseFinder } from './rescore-cases.ts';

/** How scenarios are told apart: a file may hold several. */
export function scenarioKey({ file, name }: Pick<RunScenario, 'file' | 'name'>): string {
  return JSON.stringify([file, name]);
}

/** What a trial is evaluated by. */
export interface TodaysCase {
  readonly scenario: Scenario;
  readonly case: Case;
}

/** Today's scenarios by what a run calls them. */
export class FoundScenarios {
  readonly #scenarios: ReadonlyMap<string, Scenario>;
  readonly #byName: ReadonlyMap<string, Scenario>;
  readonly #areNamed: boolean;
  readonly #finders = new Map<Scenario, CaseFinder>();

  /** Where the user names files, those may be others than the run had: then the name decides. */
  constructor(scenarios: readonly Scenario[], areNamed: boolean) {
    this.#areNamed = areNamed;
    this.#scenarios = new Map(scenarios.map((scenario) => [scenarioKey(scenario), scenario]));
    this.#byName = new Map(areNamed ? scenarios.map((scenario) => [scenario.name, scenario]) : []);
  }

  find(then: Pick<RunScenario, 'file' | 'name'>): Scenario | undefined {
    return this.#scenarios.get(scenarioKey(then)) ?? this.#byName.get(then.name);
  }

  /** What is said of a scenario that is not found. */
  whyMissing({ file, name }: Pick<RunScenario, 'file' | 'name'>): string {
    return this.#areNamed
      ? `There is no scenario "${name}" in the given files`
      : `The scenario "${name}" is not in ${file} any more`;
  }

  /** As the run remembered it, with the content that it has now. */
  asNow(then: RunScenario): RunScenario {
    const now = this.find(then);
    return now ? { ...then, contentHash: now.contentHash } : then;
  }

  /** The scenario and the case of a trial, or why there is none. */
  async caseOf({ file, scenario: name, caseId }: TrialRecord): Promise<TodaysCase | string> {
    const scenario = this.find({ file, name });
    if (!scenario) return this.whyMissing({ file, name });
    const finder = this.#finders.get(scenario) ?? new CaseFinder(scenario);
    this.#finders.set(scenario, finder);
    const found = await finder.find(caseId);
    return found ? { scenario, case: found } : `The case "${caseId}" is not in the scenario any more`;
  }
}
