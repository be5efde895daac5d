import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

/** One entry of a state: a row of a table, an item of a list, a file. */
export type StateRow = Record<string, unknown>;
const rows = () => z.array(stateRow());
const stateRow = () => z.record(z.string(), z.unknown());

/** The difference between two snapshots of a state. */
export const stateDifferenceSchema = lazySchema(() =>
  z.object({
    state: z.string().describe('what was looked at, as the scenario names it'),
    key: z.string().describe('SHA-256 of how it was looked at: evaluators find their difference by it'),
    rows: z.object({ before: z.int().min(0), after: z.int().min(0) }),
    added: rows(),
    removed: rows(),
    changed: z.array(z.object({ before: stateRow(), after: stateRow() })),
  }),
);
export type StateDifference = z.infer<typeof stateDifferenceSchema>;

/** A difference for people: `2 rows added, 1 changed`. */
export function describeDifference({ added, removed, changed }: Omit<StateDifference, 'key' | 'rows'>): string {
  const counts = [
    [added.length, 'added'],
    [removed.length, 'removed'],
    [changed.length, 'changed'],
  ] as const;
  const found = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return found.length === 0 ? 'nothing changed' : `rows: ${found.join(', ')}`;
}
