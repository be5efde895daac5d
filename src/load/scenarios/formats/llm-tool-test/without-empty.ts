import { isRecord } from '../../../../shared/json.ts';

/** Sections whose keys are names of the user's own, or that say themselves what may be empty. */
const untouched = new Set(['env', 'evaluators', 'guidance', 'mcp_servers']);

/** Data without the keys that have no value: a section that was left empty counts as left out. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isRecord(value)) return value;
  const filled = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(filled.map(([key, part]) => [key, untouched.has(key) ? part : withoutEmpty(part)]));
}
