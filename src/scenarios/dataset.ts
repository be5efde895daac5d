import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import type { FilePosition } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { Case } from '../domain/scenario.ts';
import { type DatasetConfig, type Row, rowSchema } from './formats/native-schema.ts';
import { readCsvRows } from './rows/csv-rows.ts';
import { readJsonRows } from './rows/json-rows.ts';
import { readJsonlRows } from './rows/jsonl-rows.ts';
import { isProblem, type RawRow } from './rows/raw-row.ts';
import { problemsOf } from './schema-problems.ts';

const readers = { csv: readCsvRows, json: readJsonRows, jsonl: readJsonlRows };
const problemLimit = 20;
const rowKeys = new Set(Object.keys(rowSchema.shape));

interface DatasetSummary {
  readonly problems: readonly Problem[];
  readonly rowCount: number;
  readonly contentHash: string;
}

/** A file with one case per row, read from the start each time it is asked for and never held as a whole. */
export class Dataset {
  readonly #file: string;
  readonly #path: string;
  readonly #config: DatasetConfig;
  readonly #toCase: (row: Row, rowNumber: number) => Case;

  /** `file` is how the user sees it, `path` where it lies. */
  constructor(file: string, path: string, config: DatasetConfig, toCase: (row: Row, rowNumber: number) => Case) {
    this.#file = file;
    this.#path = path;
    this.#config = config;
    this.#toCase = toCase;
  }

  /** Reads the file once and tells all that is wrong with it, up to a limit. */
  async check(namedAt: FilePosition): Promise<DatasetSummary> {
    const problems: Problem[] = [];
    let rowCount = 0;
    try {
      for await (const raw of this.#rows()) {
        rowCount++;
        if (isProblem(raw)) problems.push(raw);
        else problems.push(...this.#readRow(raw, rowCount).problems);
        if (problems.length >= problemLimit) break;
      }
      if (rowCount === 0)
        problems.push({ at: { file: this.#file, line: 1, column: 1 }, message: 'the dataset has no rows' });
      return { problems, rowCount, contentHash: await this.#hash() };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === undefined) throw error;
      const message = code === 'ENOENT' ? `there is no file ${this.#file}` : `cannot read ${this.#file}: ${code}`;
      return { problems: [{ at: namedAt, message }], rowCount: 0, contentHash: '' };
    }
  }

  /** The rows as cases; the file has been checked before. */
  async *cases(): AsyncGenerator<Case, void> {
    let rowNumber = 0;
    for await (const raw of this.#rows()) {
      rowNumber++;
      const read = isProblem(raw) ? undefined : this.#readRow(raw, rowNumber).case;
      if (read) yield read;
    }
  }

  #rows(): AsyncIterable<RawRow | Problem> {
    const byName = { '.csv': 'csv', '.jsonl': 'jsonl', '.ndjson': 'jsonl' }[extname(this.#path).toLowerCase()];
    const format = this.#config.format ?? (byName as 'csv' | 'jsonl' | undefined) ?? 'json';
    return readers[format](this.#file, this.#path, this.#config.types);
  }

  #readRow(raw: RawRow, rowNumber: number): { readonly problems: readonly Problem[]; readonly case?: Case } {
    const row = rowSchema.safeParse(withInput(raw.value));
    if (!row.success) return { problems: problemsOf(row.error, raw.source(), rowSchema) };
    const read = this.#toCase(row.data, rowNumber);
    if (read.evaluators.length > 0) return { problems: [], case: read };
    const hint = 'Add criteria to the row, or criteria or evaluators to the scenario.';
    return { problems: [{ at: raw.source().locate([]), message: 'nothing judges this row', hint }] };
  }

  async #hash(): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(this.#path)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  }
}

/** A row without `input` is an input itself, but for the keys that have a meaning of their own. */
function withInput(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if ('input' in value) return { ...value };
  const input: Record<string, unknown> = {};
  const row: Record<string, unknown> = { input };
  for (const [key, part] of Object.entries(value)) (rowKeys.has(key) ? row : input)[key] = part;
  return row;
}
