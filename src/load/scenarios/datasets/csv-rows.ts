import type { FilePosition } from '../../../domain/errors.ts';
import type { Problem } from '../../../domain/problem.ts';
import { counted } from '../../../shared/format.ts';
import { suggestion } from '../../../shared/suggest.ts';
import { eachLine } from '../../../shared/text.ts';
import { parseJsonSource } from '../../sources/json-source.ts';
import type { DataPath, ParsedSource } from '../../sources/parsed-source.ts';
import { type CsvCell, type CsvRecord, CsvRecords, placeInCell } from './csv-record.ts';
import type { DatasetConfig } from './dataset-schema.ts';
import { decodedText, type RawRow } from './raw-row.ts';

type CellType = DatasetConfig['types'][string];

/** Names of the types in messages. */
const typeWords: Readonly<Record<CellType, string>> = {
  string: 'text',
  number: 'a number',
  boolean: '`true` or `false`',
  json: 'JSON',
};

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
  const records = new CsvRecords(file);
  let line = 0;
  for await (const text of eachLine(decodedText(file, path))) {
    const record = records.take(text, ++line);
    if (record) yield record;
  }
  const rest = records.rest();
  if (rest) yield rest;
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

/** A row with an empty name or id gets its number as name. */
function isUnnamed(column: string, cell: CsvCell): boolean {
  return cell.text === '' && (column === 'name' || column === 'id');
}

function cellText({ text }: CsvCell): string {
  return text.trim() === '' ? 'an empty cell' : `"${text}"`;
}

function raggedRow(cells: readonly CsvCell[], columns: readonly string[]): Problem {
  const at = (cells[columns.length] ?? cells[0])?.at ?? { file: '', line: 1, column: 1 };
  const message = `this row has ${counted(cells.length, 'cell')}, but the header has ${counted(columns.length, 'column')}`;
  const missing = columns.slice(cells.length).map((column) => `\`${column}\``);
  if (missing.length > 0) return { at, message, hint: `Add cells for ${missing.join(', ')}.` };
  return { at, message, hint: 'Put cells that contain a comma in quotes.' };
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

interface ReadCell {
  readonly value: unknown;
}

/** Value of a cell by its column's type; undefined when it does not match. */
function readCell(text: string, type: CellType): ReadCell | undefined {
  if (type === 'string') return { value: text };
  if (type === 'number')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? { value: Number(text) } : undefined;
  if (type === 'boolean') return text === 'true' || text === 'false' ? { value: text === 'true' } : undefined;
  return readJson(text);
}

/** True for columns that hold a list of criteria: a JSON array, or one criterion per line. */
function isListColumn(column: string): boolean {
  return column === 'passCriteria' || column === 'failCriteria';
}

/** The criteria of a cell. */
function readList(text: string): ReadCell {
  const array = isJsonArray(text) ? readJson(text) : undefined;
  return (
    array ?? {
      value: text
        .split('\n')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    }
  );
}

/** Offset in a cell of a character (from 1) of the criterion with the given number. */
function offsetInList(text: string, index: number, character: number): number {
  if (isJsonArray(text) && readJson(text)) {
    const { line, column } = parseJsonSource('', text).locateInString([index], character);
    return (lineStarts(text)[line - 1] ?? 0) + column - 1;
  }
  const written = lineStarts(text).filter((start) => text.slice(start).split('\n', 1)[0]?.trim() !== '');
  const start = written[index] ?? 0;
  return start + text.slice(start).search(/\S/) + character - 1;
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
}

function isJsonArray(text: string): boolean {
  return text.trimStart().startsWith('[');
}

function readJson(text: string): ReadCell | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Problems of the header line. */
function headerProblems({ cells }: CsvRecord, typedColumns: readonly string[]): Problem[] {
  const names = cells.map((cell) => cell.text);
  const [only] = cells;
  const separator = cells.length === 1 ? /[;\t|]/.exec(only?.text ?? '')?.[0] : undefined;
  if (only && separator) {
    const found = separator === '\t' ? 'tabs' : `\`${separator}\``;
    return [
      {
        at: only.at,
        message: `the columns are separated by ${found}, not by commas`,
        hint: 'Save the file with commas between the cells.',
      },
    ];
  }
  const naming = cells.flatMap(({ text, at }, index): Problem[] => {
    if (text.trim() === '') return [{ at, message: `column ${index + 1} has no name` }];
    return names.indexOf(text) < index ? [{ at, message: `duplicate column \`${text}\`` }] : [];
  });
  const missing = typedColumns
    .filter((name) => !names.includes(name))
    .map(
      (name): Problem => ({
        at: { file: only?.at.file ?? '', line: only?.at.line ?? 1, column: 1 },
        message: `unknown column \`${name}\` in \`types\` of the dataset`,
        hint: suggestion(name, names),
      }),
    );
  return [...naming, ...missing];
}
