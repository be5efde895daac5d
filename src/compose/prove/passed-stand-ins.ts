import { randomUUID } from 'node:crypto';
import type { Case, PartSpec, Scenario } from '../../domain/scenario.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';
import type { Project } from '../config/project.ts';
import type { UntouchedGates } from '../run/untouched-gates.ts';
import { type ListedTools, type StandIn, standIns } from './stand-ins.ts';

/** The stand-ins that a case was evaluated with, and those that passed it. */
export interface PassedStandIns {
  /** Name of a test of a suite; undefined for the case as a whole. */
  readonly test: string | undefined;
  readonly passed: readonly StandIn[];
  readonly tried: readonly StandIn[];
}

/** Evaluates cases with answers of stand-ins in place of those of the tool; no tool is called and no model. */
export class StandInTrials {
  readonly #project: Project;
  readonly #gates: UntouchedGates;
  readonly #evaluators: ReadonlyMap<string, Evaluator>;

  constructor(project: Project, gates: UntouchedGates) {
    this.#project = project;
    this.#gates = gates;
    this.#evaluators = new Map(project.parts.evaluators.map((evaluator) => [evaluator.type, evaluator]));
  }

  /** One entry for the case, or one for each test of its suite; none where a model decides. */
  async evaluate(scenario: Scenario, item: Case, tools?: ListedTools): Promise<PassedStandIns[]> {
    const kind = this.#project.parts.targets.find(({ type }) => type === scenario.target.type);
    const tried = kind ? standIns(kind.provides, item, tools) : [];
    const parts = assertionsOf(item, this.#evaluators);
    const isDecisive = assertionsOf(item, this.#evaluators, true).length === parts.length;
    if (tried.length === 0 || parts.length === 0 || !isDecisive) return [];
    const passed = new Map<string | undefined, StandIn[]>();
    for (const standIn of tried) {
      for (const [test, isPass] of await this.#verdicts(scenario, item, parts, standIn)) {
        const others = passed.get(test) ?? [];
        passed.set(test, isPass ? [...others, standIn] : others);
      }
    }
    return [...passed].map(([test, list]) => ({ test, passed: list, tried }));
  }

  async #verdicts(
    scenario: Scenario,
    item: Case,
    parts: readonly PartSpec[],
    { trace }: StandIn,
  ): Promise<(readonly [string | undefined, boolean])[]> {
    const found = await this.#gates.evaluation(trialOf(scenario, item), parts, trace, undefined);
    if (found === 'interrupted') return [];
    const { toolHealth, evaluatorResults } = found;
    const tests = toolHealth.filter(({ state }) => state !== 'error');
    if (toolHealth.length > 0) return tests.map(({ testName, passed }) => [testName, passed]);
    return [[undefined, evaluatorResults.length > 0 && evaluatorResults.every(({ state }) => state === 'pass')]];
  }
}

/** Assertions of a case that need no model; with `all`, also those that do. */
export function assertionsOf(item: Case, evaluators: ReadonlyMap<string, Evaluator>, all = false): readonly PartSpec[] {
  return item.evaluators.filter(({ type }) => {
    const evaluator = evaluators.get(type);
    return evaluator?.kind === 'assertion' && (all || !evaluator.needs.includes('judge'));
  });
}

/** A trial of a case that is evaluated and not run. */
export function trialOf(scenario: Scenario, item: Case): Trial {
  const [variant] = scenario.variants ?? [];
  const runId = 'prove';
  return { trialId: randomUUID(), runId, ordinal: 0, scenario, case: item, variant: { ...variant }, repeat: 0 };
}

/** Their names, each once. */
export function namesOf(passed: readonly StandIn[]): string {
  const names = [...new Set(passed.map(({ name }) => name))];
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
