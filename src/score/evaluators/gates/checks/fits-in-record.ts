const maxCharacters = 65_536;
const maxDepth = 100;

/** Whether what a script printed can stand in a record without making it a burden to everybody who reads it. */
export function fitsInRecord(value: unknown): boolean {
  return isShallow(value, maxDepth) && (JSON.stringify(value)?.length ?? 0) <= maxCharacters;
}

function isShallow(value: unknown, depthLeft: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depthLeft > 0 && Object.values(value).every((part) => isShallow(part, depthLeft - 1));
}
