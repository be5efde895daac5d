/** The nearest number from 0 to 1. */
export function withinUnit(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** The part of a list that a count makes up. */
export function share(count: number, list: readonly unknown[]): number {
  return list.length === 0 ? 1 : count / list.length;
}
