/** The data a criterion can see: JSON values, each absent when there is nothing to see. */
export interface CriteriaScope {
  result?: unknown;
  error?: unknown;
  input?: unknown;
  expected?: unknown;
}

/** Name of a root variable of the language. */
export type RootName = keyof CriteriaScope;

/** The root variables of the language. */
export const rootNames: readonly RootName[] = ['result', 'error', 'input', 'expected'];
