/** The text a cell holds for a value: every cell is text, and null empties it. */
export function cellText(value: string | number | null): string {
  return value === null ? '' : String(value);
}
