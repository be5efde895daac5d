import type { Operation } from './arguments.ts';
import { cellText } from './cell-text.ts';
import { failures } from './failures.ts';
import { findColumn } from './find-column.ts';
import { rowFilter } from './row-filter.ts';

/** A cell whose final text differs from the original. */
export interface CellChange {
  readonly row: number;
  readonly col: number;
  readonly old: string;
  readonly new: string;
}

/** The outcome of all operations, before anything is written. */
export interface SheetUpdate {
  readonly rows: readonly (readonly string[])[];
  /** Rows an operation wrote to, whether or not their text changed. */
  readonly affectedRows: number;
  /** In reading order: by row, then by column. */
  readonly changes: readonly CellChange[];
}

interface Table {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface Draft {
  readonly headers: readonly string[];
  readonly rows: string[][];
  readonly touchedRows: Set<number>;
  /** The rows later operations may write to; undefined until a filter restricts them. */
  matchedRows: ReadonlySet<number> | undefined;
}

const steps: Record<Operation['type'], (draft: Draft, operation: Operation) => void> = {
  updateColumn,
  updateRow,
  filter: narrowToMatches,
};

/** Applies the operations in sequence to a copy; each one sees the work of those before it. */
export function applyOperations(table: Table, operations: readonly Operation[]): SheetUpdate {
  const draft: Draft = {
    headers: table.headers,
    rows: table.rows.map((row) => [...row]),
    touchedRows: new Set(),
    matchedRows: undefined,
  };
  for (const operation of operations) steps[operation.type](draft, operation);
  return {
    rows: draft.rows,
    affectedRows: draft.touchedRows.size,
    changes: findChanges(table.rows, draft),
  };
}

function updateColumn(draft: Draft, operation: Operation): void {
  const col = findColumn(draft.headers, operation.columnIndex, operation.columnName);
  if (col === undefined) throw failures.columnMissing();
  const targets = draft.matchedRows ?? new Set(draft.rows.keys());
  const texts = columnTexts(operation, targets.size, draft.matchedRows !== undefined);
  for (const [position, row] of [...targets].entries()) writeCell(draft, row, col, texts[position] ?? '');
}

function columnTexts({ value, values }: Operation, rowCount: number, filtered: boolean): string[] {
  if (values !== undefined) {
    if (values.length === rowCount) return values.map(cellText);
    throw filtered
      ? failures.filteredVectorLength(values.length, rowCount)
      : failures.vectorLength(values.length, rowCount);
  }
  if (value === undefined) throw failures.columnValueMissing();
  return new Array<string>(rowCount).fill(cellText(value));
}

function updateRow(draft: Draft, { rowIndex, values }: Operation): void {
  if (rowIndex === undefined) throw failures.rowIndexMissing();
  if (values === undefined) throw failures.rowValuesMissing();
  if (draft.rows[rowIndex] === undefined) throw failures.rowOutOfBounds(rowIndex, draft.rows.length);
  if (draft.matchedRows?.has(rowIndex) === false) throw failures.rowFilteredOut(rowIndex);
  if (values.length !== draft.headers.length) throw failures.rowLength(values.length, draft.headers.length);
  for (const [col, value] of values.entries()) writeCell(draft, rowIndex, col, cellText(value));
}

function narrowToMatches(draft: Draft, operation: Operation): void {
  const matches = rowFilter(draft.headers, operation);
  const candidates = [...(draft.matchedRows ?? draft.rows.keys())];
  draft.matchedRows = new Set(candidates.filter((row) => matches(draft.rows[row] ?? [])));
}

function writeCell(draft: Draft, row: number, col: number, text: string): void {
  const cells = draft.rows[row];
  if (cells === undefined) return;
  cells[col] = text;
  draft.touchedRows.add(row);
}

function findChanges(originals: Table['rows'], { rows, touchedRows }: Draft): CellChange[] {
  const inOrder = [...touchedRows].sort((a, b) => a - b);
  return inOrder.flatMap((row) =>
    (rows[row] ?? []).flatMap((text, col) => {
      const old = originals[row]?.[col] ?? '';
      return old === text ? [] : [{ row, col, old, new: text }];
    }),
  );
}
