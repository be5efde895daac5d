import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { FilePosition } from '../../../domain/errors.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { ParsedSource } from '../../sources/parsed-source.ts';
import { pathBeside } from '../../sources/path-beside.ts';
import { fileFault, notRegularFile } from '../../sources/source-file.ts';
import { readCsvRows } from './csv-rows.ts';
import type { RowSource } from './dataset.ts';
import type { DatasetConfig } from './dataset-schema.ts';
import { readJsonlRows, readJsonRows } from './json-rows.ts';
import type { RawRow } from './raw-row.ts';

const readers = { csv: readCsvRows, json: readJsonRows, jsonl: readJsonlRows };
const formats: Readonly<Record<string, keyof typeof readers>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};
const keptBytes = 500_000;

/** Rows in a file. It may be outside the project, because a scenario already decides which programs are started. */
class DatasetFile implements RowSource {
  readonly start: FilePosition;
  readonly #path: string;
  readonly #config: DatasetConfig;
  #isSmall = false;

  /** `name` is the path in messages, `path` the absolute one. */
  constructor(name: string, path: string, config: DatasetConfig) {
    this.start = { file: name, line: 1, column: 1 };
    this.#path = path;
    this.#config = config;
  }

  async whyUnreadable(): Promise<Pick<Problem, 'message' | 'hint'> | undefined> {
    const entry = await stat(this.#path).catch((error: unknown) => error as Error);
    if (entry instanceof Error) return { message: `${this.start.file}: ${fileFault(entry)}` };
    if (!entry.isFile())
      return { message: `${this.start.file}: ${entry.isDirectory() ? 'it is a folder, not a file' : notRegularFile}` };
    this.#isSmall = entry.size <= keptBytes;
    if (this.#format) return undefined;
    return {
      message: `${this.start.file}: unknown dataset format`,
      hint: 'Use a .csv, .jsonl or .json file, or set the format with `dataset: { path, format }`.',
    };
  }

  rows(): AsyncIterable<RawRow | Problem> {
    return readers[this.#format ?? 'json'](this.start.file, this.#path, this.#config.types);
  }

  isSmall(): boolean {
    return this.#isSmall;
  }

  async contentHash(): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(this.#path)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  }

  get #format(): keyof typeof readers | undefined {
    return this.#config.format ?? formats[extname(this.#path).toLowerCase()];
  }
}

/** The rows of the dataset of a scenario: those of its code, or those of the file that it names. */
export async function rowsOf(config: DatasetConfig, source: ParsedSource, directory: string): Promise<RowSource> {
  if (!source.rows)
    return new DatasetFile(pathBeside(source.file, config.path), resolve(directory, config.path), config);
  const { CodeRows } = await import('./code-rows.ts');
  return new CodeRows(source.rows, source.locate(['dataset']));
}
