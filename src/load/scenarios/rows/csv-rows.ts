import type { FilePosition } from '../../../domain/errors.ts';
import type { Problem } from '../../../domain/problem.ts';
import { counted } from '../../../shared/format.ts';
import { eachLine } from '../../../shared/text.ts';
import type { DataPath, ParsedSource } from '../../sources/parsed-source.ts';
import type { DatasetConfig } from '../formats/native-schema.ts';
import { isListColumn, offsetInList, readCell, readList, typeWords } from './csv-cell.ts';
import { headerProblems } from './csv-header.ts';
import { type CsvCell, CsvRecord, placeInCell } from './csv-record.ts';
import { decodedText } from './decoded-text.ts';
import type { RawRow } from './raw-row.ts';

type CellTypes = DatasetConfig['types'];

interface CsvHeader {
  readonly cells: readonly CsvCell[];
  readonly columns: readonly string[];
}

/** The rows of a CSV file with a header line; cells are strings unless `types` says otherwise. */
export async function* readCsvRows(
  file: string,
  path: string,
  types: CellTypes,
): AsyncGenerator<RawRow | Problem, void> {
  let header: CsvHeader | undefined;
  for await (const record of readRecords(file, path)) {
    if (header && !record.problem) {
      yield readRow(record, header, types);
      continue;
    }
    const problems = record.problem ? [record.problem] : headerProblems(record, Object.keys(types));
    yield* problems;
    if (!header && problems.length > 0) return;
    header ??= { cells: record.cells, columns: record.cells.map((cell) => cell.text) };
  }
}

async function* readRecords(file: string, path: string): AsyncGenerator<CsvRecord, void> {
  let record: CsvRecord | undefined;
  let line = 0;
  for await (const text of eachLine(decodedText(file, path))) {
    line++;
    if (!record && text.trim() === '') continue;
    record ??= new CsvRecord(file);
    if (!record.addLine(text, line)) continue;
    yield record;
    record = undefined;
  }
  if (record) yield record;
}

function readRow({ cells }: CsvRecord, header: CsvHeader, types: CellTypes): RawRow | Problem {
  const { columns } = header;
  if (cells.length !== columns.length) return raggedRow(cells, columns);
  const value: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index];
    if (!cell || isUnnamed(column, cell)) continue;
    const type = types[column] ?? 'string';
    const read = isListColumn(column) ? readList(cell.text) : readCell(cell.text, type);
    if (!read) return { at: cell.at, message: `${cellText(cell)} in column \`${column}\` is not ${typeWords[type]}` };
    value[column] = read.value;
  }
  return { value, source: () => rowSource(value, cells, header) };
}

/** A row may leave its name or id empty, and is then known by its number. */
function isUnnamed(column: string, cell: CsvCell): boolean {
  return cell.text === '' && (column === 'name' || column === 'id');
}

function cellText({ text }: CsvCell): string {
  return text.trim() === '' ? 'an empty cell' : `"${text}"`;
}

function raggedRow(cells: readonly CsvCell[], columns: readonly string[]): Problem {
  const at = (cells[columns.length] ?? cells[0])?.at ?? { file: '', line: 1, column: 1 };
  const message = `this row has ${counted(cells.length, 'cell')}, but the header names ${counted(columns.length, 'column')}`;
  const missing = columns.slice(cells.length).map((column) => `\`${column}\``);
  if (missing.length > 0) return { at, message, hint: `There is no cell for ${missing.join(', ')}.` };
  return { at, message, hint: 'Put a cell with a comma in it in quotes.' };
}

function rowSource(
  value: Readonly<Record<string, unknown>>,
  cells: readonly CsvCell[],
  header: CsvHeader,
): ParsedSource {
  const start = cells[0]?.at ?? { file: '', line: 1, column: 1 };
  const cellAt = (path: DataPath): CsvCell | undefined => cells[header.columns.indexOf(String(path[0]))];
  const locate = (path: DataPath): FilePosition => cellAt(path)?.at ?? start;
  return {
    file: start.file,
    value,
    locate,
    locateKey: (_path, key) => header.cells[header.columns.indexOf(key)]?.at ?? start,
    locateInString: (path, character) => {
      const cell = cellAt(path);
      return cell ? placeInCell(cell, offsetInList(cell.text, Number(path[1] ?? 0), character)) : start;
    },
  };
}
