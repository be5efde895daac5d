import type { TrialRecord } from '../domain/record.ts';

/** A trial's name for people: its scenario, its case where there are several, and its repeat. */
export function trialTitle(record: Pick<TrialRecord, 'scenario' | 'caseId' | 'repeat'>): string {
  const isOnlyCase = record.caseId === 'case-1';
  const title = isOnlyCase ? record.scenario : `${record.scenario} › ${record.caseId}`;
  return record.repeat > 1 ? `${title} (repeat ${record.repeat})` : title;
}

/** A criterion that decided against a trial, and why. */
export interface DecidingCriterion {
  readonly criterion: string;
  readonly explanation: string;
}

/** The criteria that were not as they should be, in the order of the scenario. */
export function decidingCriteria(record: Pick<TrialRecord, 'criteria'>): DecidingCriterion[] {
  if (!record.criteria) return [];
  const { passCriteriaEvaluation, failCriteriaEvaluation } = record.criteria;
  return [
    ...passCriteriaEvaluation.details.filter((detail) => !detail.result),
    ...failCriteriaEvaluation.details.filter((detail) => detail.triggered),
  ];
}
