import { AssayError } from '../../domain/errors.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { RunScenario } from '../../domain/run.ts';
import type { Case, Scenario } from '../../domain/scenario.ts';
import type { ImportedTrial } from '../../load/imports/import-format.ts';
import { counted } from '../../shared/format.ts';
import { suggestion } from '../../shared/suggest.ts';

/** Finds the cases of a scenario by their ids, fastest in the order of the file. */
export class CaseFinder {
  readonly #cases: AsyncIterator<Case>;
  /** Cases that were skipped, because a changed file may have another order. */
  readonly #passed = new Map<string, Case>();
  #current: Case | undefined;

  constructor(scenario: Pick<Scenario, 'cases'>) {
    this.#cases = scenario.cases()[Symbol.asyncIterator]();
  }

  /** Undefined when there is no such case. */
  async find(caseId: string): Promise<Case | undefined> {
    if (this.#current?.caseId === caseId) return this.#current;
    const passed = this.#passed.get(caseId);
    if (passed) return passed;
    if (this.#current) this.#passed.set(this.#current.caseId, this.#current);
    for (;;) {
      const { value, done } = await this.#cases.next();
      this.#current = done ? undefined : value;
      if (!this.#current || this.#current.caseId === caseId) return this.#current;
      this.#passed.set(this.#current.caseId, this.#current);
    }
  }
}

/** Key of a scenario: a file may hold several. */
export function scenarioKey({ file, name }: Pick<RunScenario, 'file' | 'name'>): string {
  return JSON.stringify([file, name]);
}

/** Scenario and case that a trial is evaluated by. */
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

  /** Why a scenario was not found. */
  whyMissing({ file, name }: Pick<RunScenario, 'file' | 'name'>): string {
    return this.#areNamed
      ? `There is no scenario "${name}" in the given files`
      : `The scenario "${name}" is no longer in ${file}`;
  }

  /** As the run remembered it, with the content that it has now. */
  asNow(then: RunScenario): RunScenario {
    const now = this.find(then);
    return now ? { ...then, contentHash: now.contentHash, identity: now.identity } : then;
  }

  /** The scenario and the case of a trial, or why there is none. */
  async caseOf({ file, scenario: name, caseId }: TrialRecord): Promise<TodaysCase | string> {
    const scenario = this.find({ file, name });
    if (!scenario) return this.whyMissing({ file, name });
    const finder = this.#finders.get(scenario) ?? new CaseFinder(scenario);
    this.#finders.set(scenario, finder);
    const found = await finder.find(caseId);
    return found ? { scenario, case: found } : `The case "${caseId}" is no longer in the scenario`;
  }
}

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
    const caseIds: string[] = [];
    for (const scenario of this.#scenarios) {
      for await (const { caseId } of scenario.cases()) {
        if (caseId === this.#caseId) return;
        caseIds.push(caseId);
      }
    }
    throw new AssayError('USAGE', `There is no case "${this.#caseId}".`, { hint: suggestion(this.#caseId, caseIds) });
  }

  /** The case to evaluate a trial by, or why there is none. */
  async of(trial: Pick<ImportedTrial, 'scenario' | 'caseId'>): Promise<TodaysCase | string> {
    const [only, ...others] = this.#scenarios;
    const scenario = others.length === 0 ? only : this.#scenarios.find(({ name }) => name === trial.scenario);
    if (!scenario) {
      const reason = trial.scenario === undefined ? 'the trace names none' : `none is named "${trial.scenario}"`;
      return `There are ${this.#scenarios.length} scenarios, and ${reason}: choose one with --name`;
    }
    const found = await this.#caseIn(scenario, this.#caseId ?? trial.caseId);
    if (found) return { scenario, case: found };
    const reason = trial.caseId === undefined ? 'the trace names none' : `none is named "${trial.caseId}"`;
    return `"${scenario.name}" has ${counted(scenario.caseCount, 'case')}, and ${reason}: choose one with --case`;
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
