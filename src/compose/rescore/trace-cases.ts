import type { TrialRecord } from '../../domain/record.ts';
import type { Case, Scenario } from '../../domain/scenario.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import { counted } from '../../shared/format.ts';
import { CaseFinder, type TodaysCase } from '../run/find-cases.ts';

/** Finds the case that a collected trace is evaluated by: traces of an application name neither scenarios nor cases. */
export class TraceCases {
  readonly #scenarios: readonly Scenario[];
  readonly #finders = new Map<Scenario, CaseFinder>();

  constructor(scenarios: readonly Scenario[]) {
    this.#scenarios = scenarios;
  }

  /** The case, or why there is none. The assertions of an only case apply to every trace, with the input of the trace. */
  async of(
    { scenario: named, caseId }: Pick<TrialRecord, 'scenario' | 'caseId'>,
    trace: Trace,
  ): Promise<TodaysCase | string> {
    const [only, ...others] = this.#scenarios;
    const scenario = others.length === 0 ? only : this.#scenarios.find(({ name }) => name === named);
    if (!scenario) return `There are ${this.#scenarios.length} scenarios, and none is named "${named}"`;
    if (scenario.caseCount === 1) {
      const found = await onlyCase(scenario);
      return found ? { scenario, case: forTrace(found, caseId, trace) } : `"${scenario.name}" has no case`;
    }
    const finder = this.#finders.get(scenario) ?? new CaseFinder(scenario);
    this.#finders.set(scenario, finder);
    const found = await finder.find(caseId);
    if (found) return { scenario, case: found };
    return `"${scenario.name}" has ${counted(scenario.caseCount, 'case')}, and none is named "${caseId}"`;
  }
}

async function onlyCase(scenario: Scenario): Promise<Case | undefined> {
  for await (const found of scenario.cases()) return found;
  return undefined;
}

function forTrace(found: Case, caseId: string, trace: Trace): Case {
  const first = eventsOf(trace, 'message').find(({ role }) => role === 'user');
  return { ...found, caseId, input: first?.text ?? found.input };
}
