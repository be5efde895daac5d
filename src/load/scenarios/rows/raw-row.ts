import type { Problem } from '../../../domain/problem.ts';
import type { ParsedSource } from '../../sources/parsed-source.ts';

/** One row of a dataset before it is checked. */
export interface RawRow {
  readonly value: Readonly<Record<string, unknown>>;
  /** What the format lets pass and a dataset must not have, such as a key written twice. */
  flaw?(): Problem | undefined;
  /** Where its parts stand; made only when something is wrong. */
  source(): ParsedSource;
}

/** True when a row could not even be read. */
export function isProblem(row: RawRow | Problem): row is Problem {
  return 'message' in row;
}
