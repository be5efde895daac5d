import type { Problem } from '../../domain/problem.ts';
import { grouped } from '../../shared/format.ts';

/** Problems of one file up to a limit; of those beyond it only the first place and the number are kept. */
export class ProblemList {
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

  /** The listed problems, and a last one that tells how many there are beside them. */
  all(): Problem[] {
    if (!this.#firstUnlisted) return [...this.#listed];
    const message = `… stopped after ${this.#limit} problems; from here on there are ${grouped(this.#unlistedCount)} more`;
    return [...this.#listed, { at: this.#firstUnlisted.at, message }];
  }
}

function isSame(a: Problem, b: Problem): boolean {
  return a.at.line === b.at.line && a.at.column === b.at.column && a.message === b.message;
}
