import type { Case, Scenario } from './scenario.ts';
import type { Variant } from './variant.ts';

/** One execution of one case of a scenario under one variant. */
export interface Trial {
  readonly trialId: string;
  readonly runId: string;
  /** Position in the plan, from 0: reports list trials in this order, whatever order they finished in. */
  readonly ordinal: number;
  readonly scenario: Scenario;
  readonly case: Case;
  readonly variant: Variant;
  readonly repeat: number;
}
