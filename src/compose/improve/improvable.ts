import type { Scenario } from '../../domain/scenario.ts';
import type { Variant } from '../../domain/variant.ts';

/** A text that agents or models read, in the scenarios that can be tried with other versions of it. */
export interface Improvable {
  readonly part: keyof Variant;
  /** The variant that has the text as it is now. */
  readonly reference: string;
  /** The file that holds it, relative to the project. */
  readonly file: string;
  readonly text: string;
  /** The form of the text, for the model that proposes. */
  readonly form: string;
  /** The scenarios with this text. */
  readonly scenarios: readonly Scenario[];
  /** Why a version could not be used; undefined where it can. */
  problemOf(text: string): string | undefined;
  /** The target of a scenario with these versions, by the names of their variants. */
  withVersions(scenario: Scenario, versions: ReadonlyMap<string, string>): Promise<Scenario['target']>;
  /** Writes a version into the files of the user, and returns which were changed, relative to the project. */
  apply(text: string): Promise<readonly string[]>;
}

/** How a text is found. */
export interface ImprovableSearch {
  readonly scenarios: readonly Scenario[];
  /** The variant to begin with, where there are several. */
  readonly from: string | undefined;
  /** Folder of the project. */
  readonly folder: string;
  /** Folder for the versions that are tried. */
  readonly versionsFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}
