import type { PartSpec } from '../../domain/scenario.ts';
import { stateChange } from '../../score/evaluators/assertions/state/state-change.ts';
import type { StateConfig } from '../../score/evaluators/assertions/state/state-config.ts';

export type { StateConfig } from '../../score/evaluators/assertions/state/state-config.ts';

/** The states that evaluators ask about; their configs were checked when the scenario was loaded. */
export function statesIn(evaluators: readonly PartSpec[]): readonly StateConfig[] {
  return evaluators.flatMap(({ type, config }) =>
    type === stateChange.type ? [(config as { readonly state: StateConfig }).state] : [],
  );
}
