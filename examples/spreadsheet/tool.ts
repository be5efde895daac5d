import { applyOperations, type CellChange, type SheetUpdate } from './src/apply-operations.ts';
import { type BulkUpdateArguments, type BulkUpdateRequest, parseArguments } from './src/arguments.ts';
import { commitVersion } from './src/commit-version.ts';
import { type OpenDocument, openDocument } from './src/open-document.ts';
import { withStorage } from './src/with-storage.ts';

const PREVIEW_LENGTH = 10;

/** Where the documents are; a private copy of the fixtures unless named here or in `SPREADSHEET_STORAGE`. */
export interface StorageOptions {
  readonly storage?: string | undefined;
}

interface DryRunOutcome {
  readonly dryRun: true;
  readonly affectedRows: number;
  readonly changedCells: number;
  /** The first changed cells; `changedCells` says how many there are. */
  readonly preview: readonly CellChange[];
  readonly message: string;
}

interface CommitOutcome {
  readonly dryRun: false;
  readonly committed: true;
  readonly affectedRows: number;
  readonly changedCells: number;
  readonly newStorageId: string;
  readonly message: string;
}

/** Effect of an update, planned or done, and how many milliseconds it took. */
export type BulkUpdateResult = (DryRunOutcome | CommitOutcome) & { readonly executionTime: number };

/** Updates many cells of a spreadsheet at once: a preview by default, a commit only when confirmed. */
export async function bulkUpdateSpreadsheet(
  args: BulkUpdateArguments,
  options: StorageOptions = {},
): Promise<BulkUpdateResult> {
  const startedAtMs = performance.now();
  const request = parseArguments(args);
  return withStorage(options.storage, async (folder) => {
    const document = await openDocument(folder, request.documentId, request.userId);
    const update = applyOperations(document.sheet, request.operations);
    const outcome = request.dryRun ? preview(update) : await commit(folder, request, document, update);
    return { ...outcome, executionTime: Math.round(performance.now() - startedAtMs) };
  });
}

function preview({ affectedRows, changes }: SheetUpdate): DryRunOutcome {
  return {
    dryRun: true,
    affectedRows,
    changedCells: changes.length,
    preview: changes.slice(0, PREVIEW_LENGTH),
    message:
      `DRY RUN: Would update ${changes.length} cells across ${affectedRows} rows. ` +
      'Set dryRun=false and confirm=true to commit.',
  };
}

async function commit(
  folder: string,
  { documentId, userId, operations }: BulkUpdateRequest,
  { storageId, sheet }: OpenDocument,
  { rows, affectedRows, changes }: SheetUpdate,
): Promise<CommitOutcome> {
  const newStorageId = await commitVersion(folder, {
    documentId,
    userId,
    fromStorageId: storageId,
    operations,
    changes: changes.map(({ row, col, old, new: text }) => ({ row, col, originalValue: old, newValue: text })),
    bytes: sheet.encode(rows),
  });
  return {
    dryRun: false,
    committed: true,
    affectedRows,
    changedCells: changes.length,
    newStorageId,
    message: `Successfully updated ${changes.length} cells across ${affectedRows} rows.`,
  };
}
