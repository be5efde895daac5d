/** Purpose of a criterion: a pass criterion should be met, a fail criterion should not. */
export type CriterionRole = 'pass' | 'fail';

/** The data a criterion can see: JSON values, each absent when there is nothing to see. */
export interface CriteriaScope {
  result?: unknown;
  error?: unknown;
  input?: unknown;
  expected?: unknown;
}

/** The data that an expression over findings can see: those of other evaluators, by their names. */
export interface FindingsScope extends Pick<CriteriaScope, 'input' | 'expected'> {
  /** Whether each assertion passed. */
  results?: Readonly<Record<string, unknown>>;
  /** Scores of assertions that give one. */
  scores?: Readonly<Record<string, unknown>>;
  metrics?: Readonly<Record<string, unknown>>;
  /** Answer of the judge to each of its criteria. */
  judge?: Readonly<Record<string, unknown>>;
}

/** Everything that some expression can see. */
export type AnyScope = CriteriaScope & FindingsScope;

/** Name of a root variable of the language. */
export type RootName = keyof AnyScope;

/** The root variables of the language. */
export const rootNames: readonly RootName[] = ['result', 'error', 'input', 'expected'];

/** Those of expressions over findings. */
export const findingsRootNames: readonly RootName[] = ['results', 'scores', 'metrics', 'judge', 'input', 'expected'];
