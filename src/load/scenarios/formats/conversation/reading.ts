import type { ParsedSource } from '../../../sources/parsed-source.ts';
import type { ConversationDefaults, ReadContext } from '../../scenario-format.ts';
import type { Findings } from '../llm-tool-test/findings.ts';
import type { DataFolder } from './data-folder.ts';

/** One conversation on its way to a scenario. */
export interface Reading {
  readonly source: ParsedSource;
  readonly context: ReadContext;
  readonly defaults: ConversationDefaults;
  /** What lies beside the file, where it refers to that. */
  readonly dataFolder: DataFolder;
  readonly found: Findings;
}
