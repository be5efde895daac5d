import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse';
import type { FilePosition } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { DatasetConfig } from '../formats/native-schema.ts';
import type { DataPath, ParsedSource } from '../parsed-source.ts';
import type { RawRow } from './raw-row.ts';

type CellType = DatasetConfig['types'][string];
interface ParsedRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/** Columns that hold a list of criteria: a JSON array, or one criterion per line. */
const listColumns = new Set(['passCriteria', 'failCriteria']);

/** The rows of a CSV file with a header line; cells are strings unless `types` says otherwise. */
export async function* readCsvRows(
  file: string,
  path: string,
  types: DatasetConfig['types'],
): AsyncGenerator<RawRow | Problem, void> {
  const parser = createReadStream(path).pipe(parse({ columns: true, bom: true, info: true, skip_empty_lines: true }));
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRecord>)
      yield readRow(file, record, info.lines, types);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield { at: { file, line: Number(error.lines ?? 1), column: 1 }, message: error.message };
  }
}

function readRow(
  file: string,
  record: Readonly<Record<string, string>>,
  line: number,
  types: DatasetConfig['types'],
): RawRow | Problem {
  const columns = Object.keys(record);
  const at = (column: string): FilePosition => ({ file, line, column: columns.indexOf(column) + 1 });
  const value: Record<string, unknown> = {};
  for (const column of columns) {
    const text = record[column] ?? '';
    const cell = listColumns.has(column) ? readList(text) : readCell(text, types[column] ?? 'string');
    if (!cell)
      return { at: at(column), message: `"${text}" in column \`${column}\` is not ${described(types[column])}` };
    value[column] = cell.value;
  }
  return { value, source: () => csvSource(file, value, at, line) };
}

function readCell(text: string, type: CellType): { readonly value: unknown } | undefined {
  if (type === 'string') return { value: text };
  if (type === 'number')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? { value: Number(text) } : undefined;
  if (type === 'boolean') return text === 'true' || text === 'false' ? { value: text === 'true' } : undefined;
  return readJson(text);
}

function readList(text: string): { readonly value: unknown } | undefined {
  if (text.trimStart().startsWith('[')) return readJson(text) ?? { value: [text] };
  return {
    value: text
      .split('\n')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  };
}

function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function described(type: CellType | undefined): string {
  return type === 'number' ? 'a number' : type === 'boolean' ? 'true or false' : 'JSON';
}

/** In a CSV file the column of a position is the number of the cell, which is what spreadsheets show. */
function csvSource(file: string, value: unknown, at: (column: string) => FilePosition, line: number): ParsedSource {
  const locate = (path: DataPath): FilePosition =>
    path.length === 0 ? { file, line, column: 1 } : at(String(path[0]));
  return {
    file,
    value,
    locate,
    locateKey: (path, key) => locate([...path, key]),
    locateInString: (path) => locate(path),
  };
}
