import type { Trial } from '../../domain/trial.ts';
import { canonicalJson } from '../../shared/json.ts';

/** Seed of the draws in a trial: the same for a trial that is resumed, and another for each repeat. */
export function controlSeed({ scenario, case: { caseId }, variant, repeat }: Trial): string {
  return canonicalJson([scenario.name, caseId, variant, repeat]);
}
