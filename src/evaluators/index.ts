import { criteria } from './assertions/criteria.ts';
import { latencyBudget } from './assertions/latency-budget.ts';
import { llmJudge } from './assertions/llm-judge.ts';
import { rubricJudge } from './assertions/rubric-judge.ts';
import { scoreJudge } from './assertions/score-judge.ts';
import type { Evaluator } from './evaluator.ts';
import { duration } from './metrics/duration.ts';
import { measure } from './metrics/measure.ts';

/** Every evaluator. */
export const evaluators: readonly Evaluator[] = [
  criteria,
  latencyBudget,
  llmJudge,
  rubricJudge,
  scoreJudge,
  duration,
  measure,
];
