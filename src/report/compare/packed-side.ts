import { CaseTable, type PackedTable } from './case-table.ts';
import type { CollectedSide } from './collected-side.ts';
import type { ReadSide } from './side-collector.ts';

/** A side as one process hands it to another. */
export interface PackedSide extends Omit<CollectedSide, 'cases'> {
  readonly cases: PackedTable;
}

export function packedSide({ cases, ...side }: ReadSide): PackedSide {
  return { ...side, cases: cases.pack() };
}

export function unpackedSide({ cases, ...side }: PackedSide): ReadSide {
  return { ...side, cases: new CaseTable(cases) };
}
