import { type OperatorName, operatorNames } from './operators.ts';
import type { Tried } from './pairs.ts';
import { type Undetectable, undetectable } from './undetectable.ts';

/** How many pairs of a whole and a distorted document were compared, by reader and operator. */
export class Tally {
  readonly #pairs = new Map<string, Map<OperatorName, Tried>>();

  add(reader: string, operator: OperatorName, tried: Tried): void {
    const row = this.#pairs.get(reader) ?? new Map<OperatorName, Tried>();
    this.#pairs.set(reader, row.set(operator, tried));
  }

  /** Entries for the readers that were tried which excused nothing: too wide, or no longer needed. */
  idleEntries(): Undetectable[] {
    const excused = new Set(
      [...this.#pairs.values()].flatMap((row) => [...row.values()].flatMap((one) => [...one.excused])),
    );
    const names = [...this.#pairs.keys()];
    return undetectable.filter((entry) => !excused.has(entry) && names.some((name) => entry.readers.test(name)));
  }

  /** Pairs as a table; in brackets those that were left out because they are undetectable. */
  table(): string {
    const rows = [...this.#pairs].map(([reader, row]) => [
      reader,
      ...operatorNames.map((name) => cellOf(row.get(name))),
    ]);
    const all = [...this.#pairs.values()].flatMap((row) => [...row.values()]);
    const total = all.reduce((sum, { pairs }) => sum + pairs, 0);
    const violations = all.reduce((sum, tried) => sum + tried.violations.length, 0);
    const lines = [['reader', ...operatorNames], ...rows].map((cells) =>
      cells.map((cell, index) => (index === 0 ? cell.padEnd(22) : cell.padStart(12))).join(''),
    );
    return [...lines, `${total} pairs, ${violations} violations`].join('\n');
  }
}

function cellOf(tried: Tried | undefined): string {
  if (!tried) return '';
  return tried.undetectable === 0 ? String(tried.pairs) : `${tried.pairs} (${tried.undetectable})`;
}
