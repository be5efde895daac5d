import type { TrialRecord } from '../../domain/record.ts';
import type { Variant } from '../../domain/trial.ts';

/** What cases are called that are the only one of their scenario. */
const onlyCases: ReadonlySet<string> = new Set(['case-1', 'task', 'conversation', 'suite', 'workflow']);

/** A trial's name for people: its scenario, its case where there are several, who did it, and its repeat. */
export function trialTitle(record: Pick<TrialRecord, 'scenario' | 'caseId' | 'variant' | 'repeat'>): string {
  const title = onlyCases.has(record.caseId) ? record.scenario : `${record.scenario} › ${record.caseId}`;
  const variant = variantText(record.variant);
  const details = [...(variant ? [variant] : []), ...(record.repeat > 1 ? [`repeat ${record.repeat}`] : [])];
  return details.length > 0 ? `${title} (${details.join(', ')})` : title;
}

/** Who did it: `scripted, guidance good`; empty for a tool that was called directly. */
export function variantText({ agent, connector, persona, model, guidance, description }: Variant): string {
  const wording = description === undefined ? undefined : `wording ${description}`;
  return [agent, connector, persona, model, guidance === undefined ? undefined : `guidance ${guidance}`, wording]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** A criterion that decided against a trial, and why. */
export interface DecidingCriterion {
  readonly criterion: string;
  readonly explanation: string;
}

/** The gates and criteria that were not as they should be, in the order of the scenario. */
export function decidingCriteria(record: Pick<TrialRecord, 'criteria' | 'gates'>): DecidingCriterion[] {
  const gates = record.gates
    .filter(({ passed }) => !passed)
    .map(({ gate_type, message }) => ({ criterion: gate_type, explanation: message }));
  if (!record.criteria) return gates;
  const { passCriteriaEvaluation, failCriteriaEvaluation } = record.criteria;
  return [
    ...gates,
    ...passCriteriaEvaluation.details.filter((detail) => !detail.result),
    ...failCriteriaEvaluation.details.filter((detail) => detail.triggered),
  ];
}
