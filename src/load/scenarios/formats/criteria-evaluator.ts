import type { PartSpec } from '../../../domain/scenario.ts';

/** The two lists of boolean expressions that a scenario or a case may have. */
export interface CriteriaLists {
  readonly passCriteria: readonly string[];
  readonly failCriteria: readonly string[];
}

/** Gives each case its evaluators: those of the scenario, and its own criteria beside the scenario's. */
export function caseEvaluators(
  evaluators: readonly PartSpec[],
  shared: CriteriaLists,
): (own: CriteriaLists) => readonly PartSpec[] {
  // One list for all cases without criteria of their own, so that the evaluators are prepared once.
  const forMost = withCriteria(evaluators, shared);
  return (own) => {
    if (own.passCriteria.length === 0 && own.failCriteria.length === 0) return forMost;
    return withCriteria(evaluators, {
      passCriteria: [...shared.passCriteria, ...own.passCriteria],
      failCriteria: [...shared.failCriteria, ...own.failCriteria],
    });
  };
}

function withCriteria(evaluators: readonly PartSpec[], criteria: CriteriaLists): readonly PartSpec[] {
  if (criteria.passCriteria.length === 0 && criteria.failCriteria.length === 0) return evaluators;
  return [{ type: 'criteria', config: criteria }, ...evaluators];
}
