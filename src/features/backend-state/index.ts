import type { Scenario } from '../../domain/scenario.ts';
import type { Feature } from '../../engine/feature.ts';
import { type StateConfig, statesIn } from './states.ts';

/** Looks at the states of backends that evaluators ask about, before each trial and after it. */
export const backendState: Feature = {
  name: 'backend-state',
  async scenarios(scenarios) {
    const outside = new Set<Scenario>();
    for (const scenario of scenarios) if ((await watchedIn(scenario)).some(isOutside)) outside.add(scenario);
    return outside.size === 0 ? scenarios : oneAtATime(scenarios, outside);
  },
  async open(place) {
    for (const scenario of place.scenarios) {
      if ((await watchedIn(scenario)).length === 0) continue;
      const { BackendStates } = await import('./backend-states.ts');
      return new BackendStates(place);
    }
    return undefined;
  },
};

/** All cases of a scenario have the same evaluators, with other values in them; a dataset is not read for it. */
async function watchedIn(scenario: Scenario): Promise<readonly StateConfig[]> {
  for await (const { evaluators } of scenario.cases()) return statesIn(evaluators);
  return [];
}

/** Whether other trials can change it. */
function isOutside(state: StateConfig): boolean {
  return !('place' in state && state.place === 'work');
}

/** Each of these trials would see what another changes meanwhile; what shares a server with one of them waits as well. */
function oneAtATime(scenarios: readonly Scenario[], outside: ReadonlySet<Scenario>): readonly Scenario[] {
  const shared = new Set([...outside].flatMap(({ shares }) => shares ?? []));
  return scenarios.map((scenario) =>
    outside.has(scenario) || (scenario.shares !== undefined && shared.has(scenario.shares))
      ? { ...scenario, shares: 'state of a backend' }
      : scenario,
  );
}
