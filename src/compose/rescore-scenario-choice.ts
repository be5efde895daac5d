import { AssayError } from '../domain/errors.ts';
import type { Case, Scenario } from '../domain/scenario.ts';
import type { ImportedTrial } from '../load/imports/import-format.ts';
import { counted } from '../shared/format.ts';
import { suggestion } from '../shared/suggest.ts';
import { CaseFinder } from './rescore-cases.ts';
import type { TodaysCase } from './rescore-scenarios.ts';

/** Says which scenario and case a recorded trial is about. */
export class ScenarioChoice {
  readonly #scenarios: readonly Scenario[];
  readonly #caseId: string | undefined;
  readonly #finders = new Map<Scenario, CaseFinder>();

  /** `caseId` is the user's word, which counts more than the file's. */
  constructor(scenarios: readonly Scenario[], caseId: string | undefined) {
    this.#scenarios = scenarios;
    this.#caseId = caseId;
  }

  /** Refuses a case that no scenario has. */
  async check(): Promise<void> {
    if (this.#caseId === undefined) return;
    const known: string[] = [];
    for (const scenario of this.#scenarios) {
      for await (const { caseId } of scenario.cases()) {
        if (caseId === this.#caseId) return;
        known.push(caseId);
      }
    }
    throw new AssayError('USAGE', `There is no case "${this.#caseId}".`, { hint: suggestion(this.#caseId, known) });
  }

  /** What to evaluate a trial by, or why that is not known. */
  async of(trial: Pick<ImportedTrial, 'scenario' | 'caseId'>): Promise<TodaysCase | string> {
    const [only, ...others] = this.#scenarios;
    const scenario = others.length === 0 ? only : this.#scenarios.find(({ name }) => name === trial.scenario);
    if (!scenario) {
      const told = trial.scenario === undefined ? 'the trace names none' : `none is named "${trial.scenario}"`;
      return `There are ${this.#scenarios.length} scenarios, and ${told}: choose one with --name`;
    }
    const found = await this.#caseIn(scenario, this.#caseId ?? trial.caseId);
    if (found) return { scenario, case: found };
    const told = trial.caseId === undefined ? 'the trace names none' : `none is called "${trial.caseId}"`;
    return `"${scenario.name}" has ${counted(scenario.caseCount, 'case')}, and ${told}: choose one with --case`;
  }

  /** The only case of a scenario is meant, whatever the trace calls it. */
  async #caseIn(scenario: Scenario, caseId: string | undefined): Promise<Case | undefined> {
    const finder = this.#finders.get(scenario) ?? new CaseFinder(scenario);
    this.#finders.set(scenario, finder);
    const wanted = scenario.caseCount === 1 ? await this.#onlyCaseId(scenario) : caseId;
    return wanted === undefined ? undefined : finder.find(wanted);
  }

  async #onlyCaseId(scenario: Scenario): Promise<string | undefined> {
    for await (const { caseId } of scenario.cases()) return caseId;
    return undefined;
  }
}
