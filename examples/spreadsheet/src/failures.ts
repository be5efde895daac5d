/** An error the caller can act on; its message is part of the tool's contract. */
export class SpreadsheetError extends Error {
  override readonly name = 'SpreadsheetError';
}

function because(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function rowRange(rowCount: number): string {
  return rowCount === 0 ? 'the sheet has no rows' : `0-${rowCount - 1}`;
}

/** Every failure of the tool, with its exact wording. */
export const failures = {
  commitNotConfirmed: () =>
    new SpreadsheetError('CommitNotConfirmed: Set both dryRun=false AND confirm=true to commit changes'),
  invalidArguments: (problems: readonly string[]) => new SpreadsheetError(`Invalid arguments: ${problems.join('; ')}`),

  columnNotFound: (name: string) => new SpreadsheetError(`Column "${name}" not found in headers`),
  columnAmbiguous: (name: string) =>
    new SpreadsheetError(`Column "${name}" appears more than once in headers. Use columnIndex instead`),
  columnOutOfBounds: (index: number, columnCount: number) =>
    new SpreadsheetError(`Column index ${index} out of bounds (0-${columnCount - 1})`),
  columnMissing: () => new SpreadsheetError('Either columnIndex or columnName must be provided for updateColumn'),
  columnValueMissing: () => new SpreadsheetError('Either value or values must be provided for updateColumn'),
  vectorLength: (valueCount: number, rowCount: number) =>
    new SpreadsheetError(`VectorLengthMismatch: Provided ${valueCount} values but sheet has ${rowCount} rows`),
  filteredVectorLength: (valueCount: number, rowCount: number) =>
    new SpreadsheetError(`VectorLengthMismatch: Provided ${valueCount} values but filter matches ${rowCount} rows`),

  rowIndexMissing: () => new SpreadsheetError('rowIndex is required for updateRow'),
  rowValuesMissing: () => new SpreadsheetError('values array is required for updateRow'),
  rowOutOfBounds: (index: number, rowCount: number) =>
    new SpreadsheetError(`Row index ${index} out of bounds (${rowRange(rowCount)})`),
  rowFilteredOut: (index: number) => new SpreadsheetError(`Row index ${index} is not matched by the preceding filter`),
  rowLength: (valueCount: number, columnCount: number) =>
    new SpreadsheetError(`Row values length ${valueCount} does not match header count ${columnCount}`),

  filterColumnMissing: () =>
    new SpreadsheetError('Either columnIndex, filterColumn or filterExpression must be provided for filter'),
  filterConditionMissing: () => new SpreadsheetError('filterOperator and filterValue are required for filter'),
  filterConflict: () =>
    new SpreadsheetError('filterExpression cannot be combined with columnIndex or the other filter fields'),
  filterExpression: (expression: string, operators: readonly string[]) =>
    new SpreadsheetError(
      `Filter expression ${JSON.stringify(expression)} is not of the form <column> <operator> <value>, ` +
        `with names of several words in quotes and one of the operators ${operators.join(', ')}`,
    ),

  fileNotFound: () => new SpreadsheetError('File not found or no storage URL'),
  notAuthenticated: () => new SpreadsheetError('Not authenticated'),
  unsupportedType: (type: string) =>
    new SpreadsheetError(`Unsupported file type: ${type}. Only CSV and Excel are supported.`),
  download: (cause: unknown) => new SpreadsheetError(`Failed to download file: ${because(cause)}`, { cause }),
  csvParsing: (cause: unknown) => new SpreadsheetError(`CSV parsing error: ${because(cause)}`, { cause }),
  csvEmpty: () => new SpreadsheetError('CSV file is empty'),
  excelParsing: (cause: unknown) => new SpreadsheetError(`Excel parsing error: ${because(cause)}`, { cause }),
  excelEmpty: () => new SpreadsheetError('Excel file is empty'),

  upload: (cause: unknown) => new SpreadsheetError(`Upload failed: ${because(cause)}`, { cause }),
  changedMeanwhile: (documentId: string) =>
    new SpreadsheetError(
      `ConcurrentModification: document ${documentId} was changed by another commit. Nothing was written; try again`,
    ),
  storageLocked: (lockPath: string) =>
    new SpreadsheetError(
      `ConcurrentModification: another commit holds ${lockPath}. If no commit is running, remove that file`,
    ),
  notAStorage: (folder: string) =>
    new SpreadsheetError(`${folder} is not a spreadsheet storage: it is not empty and has no index.json`),
  indexDamaged: (cause: unknown) => new SpreadsheetError(`Storage index is damaged: ${because(cause)}`, { cause }),
  auditIncomplete: (documentId: string, revision: number) =>
    new SpreadsheetError(`Audit trail is damaged: revision ${revision} of document ${documentId} is missing`),
};
