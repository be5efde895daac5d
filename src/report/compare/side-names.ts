/** How texts name the two sides of a comparison. */
export interface SideNames {
  readonly a: string;
  readonly b: string;
}

export const letters: SideNames = { a: 'A', b: 'B' };

/** `old in A, new in B`. */
export function onBothSides(before: string, after: string, { a, b }: SideNames): string {
  return `${before} in ${a}, ${after} in ${b}`;
}
