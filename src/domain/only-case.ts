/** The id of the case of a file with one `input`; cases of a list are `case-1`, `case-2` and so on. */
export const onlyInput = 'input';

const onlyCases: ReadonlySet<string> = new Set([onlyInput, 'task', 'conversation', 'suite', 'workflow']);

/** Whether formats give this id to the only case of a scenario, so titles do without it. */
export function isOnlyCase(caseId: string): boolean {
  return onlyCases.has(caseId);
}
