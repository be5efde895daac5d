import type { Section } from '../../../shared/blocks/block.ts';
import type { RunFigures } from '../../compare/run-figures.ts';
import type { StoredRun } from '../reporter.ts';

/** Where sections are shown: it decides how many of a long list are. */
export type Medium = 'console' | 'markdown' | 'page';

/** A part of the reports that only some runs have. */
export interface Detail {
  /** Whether a run has it, by what is known without reading its trials. */
  isIn(run: StoredRun, medium: Medium | 'json'): boolean;
  /** For terminals, Markdown and pages. Its code is imported here: most runs have none of it. */
  sections(run: StoredRun, medium: Medium, figures: RunFigures): Promise<readonly Section[] | AsyncIterable<Section>>;
  /** Its part of the run document (`assay.run/1`), by key. */
  document?(run: StoredRun): Promise<Readonly<Record<string, unknown>>>;
}
