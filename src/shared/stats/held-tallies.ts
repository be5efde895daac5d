import { madeRows, type Rows } from '../rows.ts';
import type { UnitKey } from './pass-rate.ts';

/** Two counts of a case. */
interface Tally {
  readonly caseKey: UnitKey;
  readonly unit?: UnitKey | undefined;
  readonly passed: number;
}

/** So many are a few megabytes. */
const mostHeld = 100_000;

/** The same rows, made only once where they are not too many: figures read them dozens of times. */
export function heldTallies<Name extends 'failed' | 'tried'>(
  rows: Rows<Tally & Readonly<Record<Name, number>>>,
  other: Name,
): Rows<Tally & Readonly<Record<Name, number>>> {
  const { length } = rows;
  if (length > mostHeld) return rows;
  const keys: UnitKey[] = [];
  const units: (UnitKey | undefined)[] = [];
  const [passed, others] = [new Float64Array(length), new Float64Array(length)];
  for (const row of rows) {
    passed[keys.length] = row.passed;
    others[keys.length] = row[other];
    units.push(row.unit);
    keys.push(row.caseKey);
  }
  return madeRows(length, (index) => {
    const tally = { caseKey: keys[index] as UnitKey, unit: units[index], passed: passed[index] ?? 0 };
    return { ...tally, [other]: others[index] ?? 0 } as Tally & Readonly<Record<Name, number>>;
  });
}
