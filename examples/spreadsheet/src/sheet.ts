import { openCsvSheet } from './csv-sheet.ts';
import { failures } from './failures.ts';
import { openXlsxSheet } from './xlsx-sheet.ts';

/** A table read from a file, and the way to write new rows into a copy of that file. */
export interface Sheet {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The file's bytes with its rows replaced; the number of rows must be the same. */
  encode(rows: readonly (readonly string[])[]): Buffer;
}

/** Reads one file format. */
export type SheetOpener = (bytes: Buffer) => Promise<Sheet>;

const openers = new Map<string, SheetOpener>([
  ['csv', openCsvSheet],
  ['xlsx', openXlsxSheet],
]);

/** Finds the reader of a file type. */
export function sheetOpener(type: string): SheetOpener {
  const opener = openers.get(type);
  if (opener === undefined) throw failures.unsupportedType(type);
  return opener;
}
