import { isRecord } from '../../../../shared/json.ts';
import { CsvRecord, CsvRecords } from '../../../scenarios/datasets/csv-record.ts';
import type { JsonObject } from '../../coerce.ts';
import type { ImportSource } from '../../import-source.ts';
import type { Sample } from '../../sample.ts';

/** A row of a table by its columns. */
export interface TableRow {
  readonly cells: JsonObject;
  readonly line: number;
}

/** Whether the beginning of a file is that of a table in CSV. */
export function isCsv({ fileName }: Pick<Sample, 'fileName'>): boolean {
  return /\.csv$/i.test(fileName);
}

/** Names of the columns at the beginning of a file. */
export function columnNamesOf(sample: Sample): string[] {
  if (!isCsv(sample)) return [...new Set(sample.objects.flatMap((object) => Object.keys(object)))];
  const record = new CsvRecord('', 1);
  record.addLine(sample.lines.find((line) => line.trim() !== '') ?? '', 1);
  return record.problem ? [] : record.cells.map(({ text }) => text);
}

/** The rows of a table; those that cannot be read are reported. */
export async function* tableRows(source: ImportSource): AsyncGenerator<TableRow, void> {
  if (isCsv({ fileName: source.file })) yield* csvRows(source);
  else {
    for await (const { value, line } of source.records()) {
      if (isRecord(value)) yield { cells: value, line };
      else source.problem(line, 'not a row: it is not an object');
    }
  }
}

async function* csvRows(source: ImportSource): AsyncGenerator<TableRow, void> {
  const records = new CsvRecords(source.file);
  let header: readonly string[] | undefined;
  let isEnded = true;
  const readRow = (record: CsvRecord | undefined): TableRow[] => {
    if (!record) return [];
    const { cells, line, problem } = record;
    const texts = cells.map(({ text }) => text);
    if (problem) source.problem(problem.at.line, problem.message, problem.hint);
    else if (!header) header = texts;
    else if (texts.length !== header.length)
      source.problem(line, `the row has ${texts.length} cells, and the header ${header.length}`);
    else {
      if (!isEnded && texts.at(-1) === '') source.problem(line, 'the file ends after a comma: the rest may be cut off');
      return [{ cells: Object.fromEntries(header.map((name, index) => [name, texts[index]])), line }];
    }
    return [];
  };
  for await (const line of source.lines()) {
    isEnded = line.isEnded;
    const record = records.take(line.text, line.number);
    yield* readRow(record);
    if (record && !header) return;
  }
  yield* readRow(records.rest());
}
