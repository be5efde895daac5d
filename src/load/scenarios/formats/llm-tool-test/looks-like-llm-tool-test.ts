import { isRecord } from '../../../../shared/json.ts';
import { nearestName } from '../../../../shared/suggest.ts';

/** Keys that a scenario of this format has, and data of other kinds hardly two of. */
const tellingKeys = ['target', 'task', 'evaluation', 'gates', 'template_folder', 'tool_matrix'];
/** Keys of native scenarios that are near to one of them. */
const nativeKeys = ['evaluators', 'dataset', 'tags', 'cases'];

/** Whether data is meant as a scenario of this format, with slips in its keys or without. */
export function looksLikeLlmToolTest(value: unknown): boolean {
  if (!isRecord(value) || 'call' in value) return false;
  const keys = Object.keys(value);
  const exact = keys.filter((key) => tellingKeys.includes(key)).length;
  const near = keys.filter((key) => !nativeKeys.includes(key) && nearestName(key, tellingKeys) !== undefined).length;
  return near >= 3 || (near === 2 && exact >= 1);
}
