import { isRecord } from '../../../../shared/json.ts';

/** Texts that a form leaves empty when nothing was written into it. */
const emptyTexts = new Set(['instructions', 'successCriteria', 'failureCriteria', 'description']);

/** Data without the keys at its top that have no value: what was left empty counts as left out. */
export function withoutUnset(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const isSet = ([key, part]: [string, unknown]): boolean =>
    part !== null && !(emptyTexts.has(key) && typeof part === 'string' && part.trim() === '');
  return Object.fromEntries(Object.entries(value).filter(isSet));
}
