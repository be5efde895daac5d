import type { ParsedSource } from '../../../sources/parsed-source.ts';
import type { CliToolDefaults, ReadContext } from '../../scenario-format.ts';
import type { Findings } from './findings.ts';

/** One file on its way to a scenario. */
export interface Reading {
  readonly source: ParsedSource;
  readonly context: ReadContext;
  readonly defaults: CliToolDefaults;
  readonly found: Findings;
}
