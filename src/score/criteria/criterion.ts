import { createRun, defaultLimits, type EvaluationLimits, Overrun, refill } from './budget.ts';
import { type CriterionDefect, CriterionError, Obstacle } from './criterion-error.ts';
import { explainAnswer, explainObstacle } from './explain/explain.ts';
import { compileSource } from './parse/parse.ts';
import type { CriteriaScope, CriterionRole } from './scope.ts';
import { describeValue } from './values.ts';

/** Result of a criterion for some data; the explanation is composed only on demand. */
export type CriterionAnswer =
  | { state: 'met' | 'not-met'; explanation(role: CriterionRole): string }
  | { state: 'unusable'; defect: CriterionDefect };

/** A compiled criterion: compile once, evaluate on any number of scopes. */
export interface Criterion {
  readonly source: string;
  /** Says whether the criterion is met; a missing part means it is not. Throws `CriterionError` when unusable. */
  test(scope: CriteriaScope): boolean;
  /** Like `test`, but never throws and can explain itself. */
  answer(scope: CriteriaScope): CriterionAnswer;
}

/** A compiled expression of the same language that may give any JSON value. */
export interface Expression {
  readonly source: string;
  /** Computes the value; a missing part makes it undefined. Throws `CriterionError` when the budget is exceeded. */
  evaluate(scope: CriteriaScope): unknown;
}

/** Compiles an expression that gives a value, such as a measurement, or throws a `CriterionError`. */
export function compileExpression(source: string, limits: EvaluationLimits = defaultLimits): Expression {
  const { evaluate } = compileEvaluation(source, limits);
  return {
    source,
    evaluate(scope) {
      const value = evaluate(scope);
      return value instanceof Obstacle ? undefined : value;
    },
  };
}

/** Compiles a criterion, or throws a `CriterionError` that says what is wrong with it and where. */
export function compileCriterion(source: string, limits: EvaluationLimits = defaultLimits): Criterion {
  const { evaluate, explain } = compileEvaluation(source, limits);
  const judge = (scope: CriteriaScope): boolean | Obstacle => {
    const value = evaluate(scope);
    if (typeof value === 'boolean' || value instanceof Obstacle) return value;
    throw new CriterionError(notBoolean(source, value));
  };
  return {
    source,
    test: (scope) => judge(scope) === true,
    answer(scope) {
      try {
        const value = judge(scope);
        const state = value === true ? 'met' : 'not-met';
        return { state, explanation: (role) => explain(scope, value, role) };
      } catch (error) {
        if (error instanceof CriterionError) return { state: 'unusable', defect: error.defect };
        throw error;
      }
    },
  };
}

interface Evaluation {
  /** Gives the value, or the obstacle that left the expression without one. */
  evaluate(scope: CriteriaScope): unknown;
  explain(scope: CriteriaScope, value: boolean | Obstacle, role: CriterionRole): string;
}

function compileEvaluation(source: string, limits: EvaluationLimits): Evaluation {
  const { root, compilation } = compileSource(source);
  const { slotCount } = compilation;
  const compiled = compilation.compile(root);
  const run = createRun(slotCount, limits);
  return {
    evaluate(scope) {
      refill(run, limits);
      try {
        return compiled(scope, run);
      } catch (error) {
        if (error instanceof Obstacle) return error;
        if (error instanceof Overrun)
          throw new CriterionError({ criterion: source, message: `it ${error.message}`, column: 1 });
        throw error;
      } finally {
        if (slotCount > 0) run.slots.fill(undefined);
      }
    },
    explain(scope, value, role) {
      if (value instanceof Obstacle) return explainObstacle(value, role);
      return explainAnswer({ compilation, root, scope, value, role, limits });
    },
  };
}

function notBoolean(source: string, value: unknown): CriterionDefect {
  return {
    criterion: source,
    message: `it gives ${describeValue(value)}, not true or false`,
    column: 1,
    hint: 'compare the value, as in `… === true` or `… !== undefined`',
  };
}
