import type { Problem } from '../../../../domain/problem.ts';

/** What comes to light while a file is read: what is wrong with it, and what is merely strange. */
export interface Findings {
  readonly problems: Problem[];
  readonly warnings: Problem[];
}
