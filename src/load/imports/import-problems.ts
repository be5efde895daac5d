import type { Problem } from '../../domain/problem.ts';

/** Something that was not read as it is written; a warning is about something that is hardly missed. */
export interface ImportProblem extends Problem {
  readonly isWarning: boolean;
}

const mostPerFile = 50;

/** What was found wrong: the first of each file in words, all of them in numbers. */
export class ImportProblems {
  readonly #told = new Map<string, number>();
  readonly #list: ImportProblem[] = [];
  #problems = 0;
  #warnings = 0;

  /** What is told here is not kept: for reading a second time what was told the first time. */
  static readonly unheard: Pick<ImportProblems, 'add'> = { add: () => undefined };

  add(problem: ImportProblem): void {
    if (problem.isWarning) this.#warnings++;
    else this.#problems++;
    const told = (this.#told.get(problem.at.file) ?? 0) + 1;
    this.#told.set(problem.at.file, told);
    if (told <= mostPerFile) this.#list.push(problem);
  }

  /** At most so many of a file as a person reads. */
  get list(): readonly ImportProblem[] {
    return this.#list;
  }

  get problemCount(): number {
    return this.#problems;
  }

  get unlistedCount(): number {
    return this.#problems + this.#warnings - this.#list.length;
  }
}

/** A problem of a file as a whole. */
export function problemIn({ file }: { readonly file: string }, message: string, isWarning: boolean): ImportProblem {
  return { at: { file, line: 1, column: 1 }, message, isWarning };
}
