import { isRecord } from '../../../shared/json.ts';

const maxCharacters = 65_536;
const maxDepth = 100;

/** The JSON object that a script printed; undefined for any other output. */
export function printedObject(stdout: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(stdout.replace(/^\uFEFF/, ''));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether output of a script is small enough to be stored in a record that every report reads. */
export function fitsInRecord(value: unknown): boolean {
  return isShallow(value, maxDepth) && (JSON.stringify(value)?.length ?? 0) <= maxCharacters;
}

function isShallow(value: unknown, depthLeft: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depthLeft > 0 && Object.values(value).every((part) => isShallow(part, depthLeft - 1));
}
