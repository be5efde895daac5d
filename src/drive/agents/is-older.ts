/** Whether a version is older than another, by their numbers alone. */
export function isOlder(version: string, than: string): boolean {
  const [ours, theirs] = [numbersOf(version), numbersOf(than)];
  const differing = [0, 1, 2].find((index) => (ours[index] ?? 0) !== (theirs[index] ?? 0));
  return differing !== undefined && (ours[differing] ?? 0) < (theirs[differing] ?? 0);
}

function numbersOf(version: string): number[] {
  return (version.split('-')[0] ?? '').split('.').map(Number);
}
