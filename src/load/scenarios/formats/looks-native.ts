import { isRecord } from '../../../shared/json.ts';
import { nearestName } from '../../../shared/suggest.ts';

const commonKeys = ['name', 'input', 'cases'];
/** Keys that data of another kind does not have by chance, so that one like them counts as well. */
const distinctiveKeys = ['dataset', 'passCriteria', 'failCriteria', 'evaluators'];

/** Whether data is meant as a scenario of our own, with a slip in its keys or without. */
export function looksNative(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if ('call' in value) return true;
  // An input of the judge protocol has criteria too.
  if ('testScenario' in value || 'actualResult' in value) return false;
  return Object.entries(value).filter(([key, part]) => isTelling(key, part)).length >= 2;
}

function isTelling(key: string, part: unknown): boolean {
  if (commonKeys.includes(key) || nearestName(key, distinctiveKeys) !== undefined) return true;
  return isRecord(part) && nearestName(key, ['call']) !== undefined;
}
