import type { EntryLook } from './timeline-entry.ts';

/** Which rows are open: a rule for all, and the rows that somebody opened or closed since. */
export interface Openness {
  readonly rule: 'speech' | 'all' | 'none';
  readonly exceptions: ReadonlyMap<number, boolean>;
}

/** What is said can be read at once; what was done is opened when it is wanted. */
export const firstOpenness: Openness = { rule: 'speech', exceptions: new Map() };

/** Whether the row of an event is open. */
export function isOpen({ rule, exceptions }: Openness, index: number, look: EntryLook): boolean {
  return exceptions.get(index) ?? (rule === 'all' || (rule === 'speech' && look === 'speech'));
}

/** The same with one row opened or closed. */
export function withRow(openness: Openness, index: number, isRowOpen: boolean): Openness {
  return { ...openness, exceptions: new Map(openness.exceptions).set(index, isRowOpen) };
}
