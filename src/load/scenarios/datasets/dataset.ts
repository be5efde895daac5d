import type { FilePosition } from '../../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import type { Case } from '../../../domain/scenario.ts';
import { grouped } from '../../../shared/format.ts';
import { fileFault } from '../../sources/source-file.ts';
import { DatasetRows, type RowProblems, type RowToCase } from './dataset-rows.ts';
import { isProblem, type RawRow } from './raw-row.ts';

/** Problems of one file up to a limit, and the number of further ones. */
class ProblemList {
  readonly #limit: number;
  readonly #listed: { readonly problem: Problem; readonly label: string | undefined }[] = [];
  #firstUnlisted: Problem | undefined;
  #unlistedCount = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `label` names the row that has the problems. */
  add(problems: readonly Problem[], label?: string): void {
    for (const problem of problems) {
      // A wrong column name is wrong in every row.
      if (this.#listed.some((listed) => isSame(listed.problem, problem))) continue;
      if (this.#listed.length < this.#limit) this.#listed.push({ problem, label });
      else {
        this.#firstUnlisted ??= problem;
        this.#unlistedCount++;
      }
    }
  }

  /** The listed problems, and a last one with the number of others. */
  all(): Problem[] {
    const listed = this.#listed.map(({ problem, label }) =>
      label === undefined ? problem : { ...problem, message: `${label}: ${problem.message}` },
    );
    if (!this.#firstUnlisted) return listed;
    const message = `… ${grouped(this.#unlistedCount)} more problems from here on; ${this.#limit} are listed`;
    return [...listed, { at: this.#firstUnlisted.at, message }];
  }
}

function isSame(a: Problem, b: Problem): boolean {
  return a.at.line === b.at.line && a.at.column === b.at.column && a.message === b.message;
}

const problemLimit = 20;

interface DatasetSummary {
  readonly problems: readonly Problem[];
  readonly rowCount: number;
  readonly contentHash: string;
  /** Whether its rows form clusters, declared or by a column of the usual name. */
  readonly hasClusters: boolean;
  /** The first row without `input`, whose columns are the input together. */
  readonly wholeInput?: RawRow | undefined;
}

/** Where the rows of a dataset come from. */
export interface RowSource {
  /** Position for problems that no single row has. */
  readonly start: FilePosition;
  /** Why there are no rows; undefined where they can be read. */
  whyUnreadable(): Promise<Pick<Problem, 'message' | 'hint'> | undefined>;
  rows(): AsyncIterable<RawRow | Problem>;
  /** Whether the rows so far are few enough to be kept in memory instead of being read again. */
  isSmall(): boolean;
  /** Of all rows, after they were read. */
  contentHash(): Promise<string>;
}

/** One case per row; many rows are streamed each time. */
export class Dataset {
  readonly #source: RowSource;
  readonly #toCase: RowToCase;
  readonly #problemsOf: RowProblems;
  readonly #cluster: string | undefined;
  #kept: readonly Case[] | undefined;
  #hasClusters = false;

  constructor(source: RowSource, toCase: RowToCase, problemsOf: RowProblems = () => [], cluster?: string) {
    this.#cluster = cluster;
    this.#source = source;
    this.#toCase = toCase;
    this.#problemsOf = problemsOf;
  }

  /** Reads the rows once and returns their problems; `namedAt` is the position of the dataset in the scenario. */
  async check(namedAt: FilePosition): Promise<DatasetSummary> {
    const { start } = this.#source;
    const unreadable = await this.#source.whyUnreadable();
    if (unreadable)
      return { problems: [{ at: namedAt, ...unreadable }], rowCount: 0, contentHash: '', hasClusters: false };
    const found = new ProblemList(problemLimit);
    const rows = new DatasetRows(this.#toCase, this.#problemsOf, this.#cluster);
    let kept: Case[] | undefined = [];
    const clusters = new Set<string>();
    let rowCount = 0;
    let wholeInput: RawRow | undefined;
    try {
      for await (const raw of this.#source.rows()) {
        rowCount++;
        if (!this.#source.isSmall()) kept = undefined;
        if (!isProblem(raw) && !('input' in raw.value)) wholeInput ??= raw;
        const read = isProblem(raw) ? [raw] : rows.check(raw, rowCount);
        if ('caseId' in read) {
          kept?.push(read);
          if (read.cluster !== undefined) clusters.add(read.cluster);
        } else found.add(read, isProblem(raw) ? undefined : raw.label);
      }
      if (rowCount === 0) found.add([{ at: start, message: 'the dataset has no rows' }]);
    } catch (error) {
      found.add(error instanceof ProblemsError ? error.problems : [unreadableAt(namedAt, start.file, error)]);
    }
    const problems = found.all();
    // A column of the usual name that has one value throughout says nothing about the rows.
    this.#hasClusters = this.#cluster !== undefined || clusters.size > 1;
    this.#kept = kept?.map((one) => this.#clustered(one));
    const contentHash = problems.length > 0 ? '' : await this.#source.contentHash();
    return { problems, rowCount, contentHash, hasClusters: this.#hasClusters, wholeInput };
  }

  /** The rows as cases; they have been checked before. */
  async *cases(): AsyncGenerator<Case, void> {
    if (this.#kept) {
      // Not `yield*`, which makes several promises for each.
      for (const one of this.#kept) yield one;
      return;
    }
    const rows = new DatasetRows(this.#toCase, this.#problemsOf, this.#cluster);
    let rowNumber = 0;
    for await (const raw of this.#source.rows()) {
      rowNumber++;
      if (!isProblem(raw)) yield this.#clustered(rows.read(raw, rowNumber));
    }
  }

  #clustered(one: Case): Case {
    return this.#hasClusters || one.cluster === undefined ? one : { ...one, cluster: undefined };
  }
}

/** Errors of the file system are problems of the file; any other error is thrown. */
function unreadableAt(at: FilePosition, file: string, error: unknown): Problem {
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  return { at, message: `${file}: ${fileFault(error)}` };
}
