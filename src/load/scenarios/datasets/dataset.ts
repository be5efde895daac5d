import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FilePosition } from '../../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import type { Case } from '../../../domain/scenario.ts';
import { grouped } from '../../../shared/format.ts';
import { fileFault, notRegularFile } from '../../sources/source-file.ts';
import { readCsvRows } from './csv-rows.ts';
import { DatasetRows, type RowProblems, type RowToCase } from './dataset-rows.ts';
import type { DatasetConfig } from './dataset-schema.ts';
import { readJsonlRows, readJsonRows } from './json-rows.ts';
import { isProblem, type RawRow } from './raw-row.ts';

/** Problems of one file up to a limit, and the number of further ones. */
class ProblemList {
  readonly #limit: number;
  readonly #listed: Problem[] = [];
  #firstUnlisted: Problem | undefined;
  #unlistedCount = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(...problems: readonly Problem[]): void {
    for (const problem of problems) {
      // A wrong column name is wrong in every row.
      if (this.#listed.some((listed) => isSame(listed, problem))) continue;
      if (this.#listed.length < this.#limit) this.#listed.push(problem);
      else {
        this.#firstUnlisted ??= problem;
        this.#unlistedCount++;
      }
    }
  }

  /** The listed problems, and a last one with the number of others. */
  all(): Problem[] {
    if (!this.#firstUnlisted) return [...this.#listed];
    const message = `… ${grouped(this.#unlistedCount)} more problems from here on; ${this.#limit} are listed`;
    return [...this.#listed, { at: this.#firstUnlisted.at, message }];
  }
}

function isSame(a: Problem, b: Problem): boolean {
  return a.at.line === b.at.line && a.at.column === b.at.column && a.message === b.message;
}

const readers = { csv: readCsvRows, json: readJsonRows, jsonl: readJsonlRows };
const formats: Readonly<Record<string, keyof typeof readers>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};
const problemLimit = 20;
/** Smaller files are kept in memory after the check instead of being read again. */
const keptBytes = 500_000;

interface DatasetSummary {
  readonly problems: readonly Problem[];
  readonly rowCount: number;
  readonly contentHash: string;
}

/**
 * A file with one case per row; a large one is streamed each time. It may be
 * outside the project, because a scenario already decides which programs are started.
 */
export class Dataset {
  readonly #file: string;
  readonly #path: string;
  readonly #config: DatasetConfig;
  readonly #toCase: RowToCase;
  readonly #problemsOf: RowProblems;
  #kept: readonly Case[] | undefined;

  /** `file` is the path in messages, `path` the absolute one. */
  constructor(
    file: string,
    path: string,
    config: DatasetConfig,
    toCase: RowToCase,
    problemsOf: RowProblems = () => [],
  ) {
    this.#file = file;
    this.#path = path;
    this.#config = config;
    this.#toCase = toCase;
    this.#problemsOf = problemsOf;
  }

  /** Reads the file once and returns its problems; `namedAt` is its position in the scenario. */
  async check(namedAt: FilePosition): Promise<DatasetSummary> {
    const unreadable = await this.#whyUnreadable();
    if (unreadable) return { problems: [{ at: namedAt, ...unreadable }], rowCount: 0, contentHash: '' };
    const found = new ProblemList(problemLimit);
    const rows = new DatasetRows(this.#toCase, this.#problemsOf);
    const kept: Case[] | undefined = (await stat(this.#path)).size <= keptBytes ? [] : undefined;
    let rowCount = 0;
    try {
      for await (const raw of this.#rows()) {
        rowCount++;
        const read = isProblem(raw) ? [raw] : rows.check(raw, rowCount);
        if ('caseId' in read) kept?.push(read);
        else found.add(...read);
      }
      if (rowCount === 0)
        found.add({ at: { file: this.#file, line: 1, column: 1 }, message: 'the dataset has no rows' });
    } catch (error) {
      found.add(...(error instanceof ProblemsError ? error.problems : [unreadableAt(namedAt, this.#file, error)]));
    }
    const problems = found.all();
    this.#kept = kept;
    return { problems, rowCount, contentHash: problems.length > 0 ? '' : await this.#hash() };
  }

  /** The rows as cases; the file has been checked before. */
  async *cases(): AsyncGenerator<Case, void> {
    if (this.#kept) return yield* this.#kept;
    const rows = new DatasetRows(this.#toCase, this.#problemsOf);
    let rowNumber = 0;
    for await (const raw of this.#rows()) {
      rowNumber++;
      if (!isProblem(raw)) yield rows.read(raw, rowNumber);
    }
  }

  get #format(): keyof typeof readers | undefined {
    return this.#config.format ?? formats[extname(this.#path).toLowerCase()];
  }

  #rows(): AsyncIterable<RawRow | Problem> {
    return readers[this.#format ?? 'json'](this.#file, this.#path, this.#config.types);
  }

  async #whyUnreadable(): Promise<Pick<Problem, 'message' | 'hint'> | undefined> {
    const entry = await stat(this.#path).catch((error: unknown) => error as Error);
    if (entry instanceof Error) return { message: `${this.#file}: ${fileFault(entry)}` };
    if (!entry.isFile())
      return { message: `${this.#file}: ${entry.isDirectory() ? 'it is a folder, not a file' : notRegularFile}` };
    if (this.#format) return undefined;
    return {
      message: `${this.#file}: unknown dataset format`,
      hint: 'Use a .csv, .jsonl or .json file, or set the format with `dataset: { path, format }`.',
    };
  }

  async #hash(): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(this.#path)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  }
}

/** Errors of the file system are problems of the file; any other error is thrown. */
function unreadableAt(at: FilePosition, file: string, error: unknown): Problem {
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  return { at, message: `${file}: ${fileFault(error)}` };
}
