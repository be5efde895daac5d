import { createRun, type EvaluationLimits, Overrun } from './budget.ts';
import type { Compilation } from './evaluate.ts';
import { explainFact } from './explain-fact.ts';
import { bareFact, type CriterionRole, createExplaining, type Fact } from './explaining.ts';
import { Obstacle } from './obstacle.ts';
import type { CriteriaScope } from './scope.ts';
import type { Expr } from './syntax.ts';

const maxExplanationLength = 500;

interface Answered {
  compilation: Compilation;
  expr: Expr;
  slotCount: number;
  scope: CriteriaScope;
  value: boolean;
  role: CriterionRole;
  limits: EvaluationLimits;
}

/** Puts the answer of a criterion into words, from the values of its parts. */
export function explainAnswer(answered: Answered): string {
  const { value, role } = answered;
  const { text, settled } = explainWithinLimits(answered);
  if (role === 'fail') return withEnding(text, value ? ' (bad)' : ' (good)');
  return withEnding(text, settled ? '' : value ? ', criterion met' : ', criterion not met');
}

function explainWithinLimits({ compilation, expr, slotCount, scope, value, role, limits }: Answered): Fact {
  const run = createRun(slotCount, limits);
  try {
    return explainFact(createExplaining(compilation, scope, run, role, limits), expr, value);
  } catch (error) {
    // Explaining looks at more items than the evaluation did, so it can meet what that did not.
    if (error instanceof Overrun || error instanceof Obstacle) return bareFact(compilation.source, expr, value);
    throw error;
  }
}

/** Puts an answer that the data could not give into words. */
export function explainObstacle({ explanation }: Obstacle, role: CriterionRole): string {
  return withEnding(explanation, role === 'fail' ? ' (good)' : '');
}

function withEnding(text: string, ending: string): string {
  const room = maxExplanationLength - ending.length;
  return text.length <= room ? text + ending : `${text.slice(0, room - 1)}…${ending}`;
}
