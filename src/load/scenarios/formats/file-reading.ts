import type { Problem } from '../../../domain/problem.ts';
import type { ParsedSource } from '../../sources/parsed-source.ts';
import type { ReadContext } from '../scenario-format.ts';

/** Problems and warnings that are found while a file is read. */
export interface Findings {
  readonly problems: Problem[];
  readonly warnings: Problem[];
}

/** A file that is being read into scenarios. */
export interface FileReading {
  readonly source: ParsedSource;
  readonly context: ReadContext;
  readonly found: Findings;
}
