/** About how many characters a value takes as JSON, without writing it. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 6;
  let characters = 2;
  for (const key in value) characters += key.length + 4 + charactersIn((value as Record<string, unknown>)[key]);
  return characters;
}
