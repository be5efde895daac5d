import { isRecord } from '../../../../shared/json.ts';
import { CsvRecord } from '../../../scenarios/datasets/csv-record.ts';
import type { JsonObject } from '../../coerce.ts';
import type { ImportSource } from '../../import-source.ts';
import type { Sample } from '../../sample.ts';

/** A row of a table by its columns. */
export interface TableRow {
  readonly cells: JsonObject;
  readonly line: number;
}

const noSplit: ReadonlySet<string> = new Set();

/** Whether the beginning of a file is that of a table in CSV. */
export function isCsv({ fileName }: Pick<Sample, 'fileName'>): boolean {
  return /\.csv$/i.test(fileName);
}

/** Names of the columns at the beginning of a file. */
export function columnNamesOf(sample: Sample): string[] {
  if (!isCsv(sample)) return [...new Set(sample.objects.flatMap((object) => Object.keys(object)))];
  const record = new CsvRecord('');
  record.addLine(sample.lines.find((line) => line.trim() !== '') ?? '', 1);
  return record.problem ? [] : record.cells.map(({ text }) => text);
}

/** The rows of a table; those that cannot be read are reported. */
export async function* tableRows(source: ImportSource): AsyncGenerator<TableRow, void> {
  if (isCsv({ fileName: source.file })) yield* csvRows(source);
  else {
    for await (const { value, line } of source.records(noSplit)) {
      if (isRecord(value)) yield { cells: value, line };
      else source.problem(line, 'not a row: it is not an object');
    }
  }
}

async function* csvRows(source: ImportSource): AsyncGenerator<TableRow, void> {
  let header: readonly string[] | undefined;
  for await (const { record, line, isEnded } of csvRecords(source)) {
    const texts = record.cells.map(({ text }) => text);
    if (record.problem) source.problem(record.problem.at.line, record.problem.message, record.problem.hint);
    else if (!header) header = texts;
    else if (texts.length !== header.length) {
      source.problem(line, `the row has ${texts.length} cells, and the header ${header.length}`);
    } else {
      if (!isEnded && texts.at(-1) === '') source.problem(line, 'the file ends after a comma: the rest may be cut off');
      yield { cells: Object.fromEntries(header.map((name, index) => [name, texts[index]])), line };
    }
    if (!header) return;
  }
}

interface CsvRow {
  readonly record: CsvRecord;
  readonly line: number;
  /** False for a last line that may be incomplete. */
  isEnded: boolean;
}

async function* csvRecords(source: ImportSource): AsyncGenerator<CsvRow, void> {
  let open: CsvRow | undefined;
  for await (const { text, number, isEnded } of source.lines()) {
    if (!open && text.trim() === '') continue;
    open ??= { record: new CsvRecord(source.file), line: number, isEnded };
    open.isEnded = isEnded;
    if (!open.record.addLine(text, number)) continue;
    yield open;
    open = undefined;
  }
  if (open) yield open;
}
