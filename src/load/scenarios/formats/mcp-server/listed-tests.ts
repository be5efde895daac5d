/** Every test of a suite, whatever the list that it stands in. */
export function listedTests(suite: object): unknown[] {
  return Object.entries(suite).flatMap(([key, part]) =>
    key !== 'tags' && Array.isArray(part) ? (part as unknown[]) : [],
  );
}
