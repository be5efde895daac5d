import { variantLabel } from '../../../../src/domain/variant-text.ts';
import type { Cell } from '../../../../src/entry/server/api/runs.ts';
import { canonicalJson } from '../../../../src/shared/json.ts';

/** A variant as a column, and as the address names it. */
export interface MatrixColumn {
  readonly key: string;
  readonly label: string;
}

export interface MatrixRow {
  readonly key: string;
  readonly scenario: string;
  readonly file: string;
  /** One for each column; undefined where a scenario was not run under a variant. */
  readonly cells: readonly (Cell | undefined)[];
}

export interface Matrix {
  readonly columns: readonly MatrixColumn[];
  readonly rows: readonly MatrixRow[];
}

/** Scenarios by variants; scenarios in which something did not pass come first, otherwise all stay as planned. */
export function matrixOf(cells: readonly Cell[]): Matrix {
  const columns = new Map<string, MatrixColumn>();
  const rows = new Map<string, { scenario: string; file: string; byColumn: Map<string, Cell> }>();
  for (const cell of cells) {
    const columnKey = canonicalJson(cell.variant);
    columns.set(columnKey, { key: columnKey, label: variantLabel(cell.variant) });
    const rowKey = `${cell.file}\n${cell.scenario}`;
    const row = rows.get(rowKey) ?? { scenario: cell.scenario, file: cell.file, byColumn: new Map() };
    row.byColumn.set(columnKey, cell);
    rows.set(rowKey, row);
  }
  const listed = [...rows].map(([key, { scenario, file, byColumn }]) => ({
    key,
    scenario,
    file,
    cells: [...columns.keys()].map((column) => byColumn.get(column)),
  }));
  return { columns: [...columns.values()], rows: listed.toSorted((a, b) => wrongIn(b) - wrongIn(a)) };
}

/** How many of the judged trials passed; null where none was judged. */
export function cellRate({ pass, fail }: Cell): number | null {
  return pass + fail === 0 ? null : pass / (pass + fail);
}

function wrongIn({ cells }: MatrixRow): number {
  return cells.some((cell) => cell !== undefined && cell.fail + cell.error > 0) ? 1 : 0;
}
