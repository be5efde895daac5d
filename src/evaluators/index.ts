import { criteria } from './assertions/criteria.ts';
import { latencyBudget } from './assertions/latency-budget.ts';
import { llmJudge } from './assertions/llm-judge.ts';
import { rubricJudge } from './assertions/rubric-judge.ts';
import { scoreJudge } from './assertions/score-judge.ts';
import type { Evaluator } from './evaluator.ts';
import { gates } from './gates/index.ts';
import { duration } from './metrics/duration.ts';
import { interaction } from './metrics/interaction.ts';
import { measure } from './metrics/measure.ts';
import { scriptEvaluator } from './metrics/script.ts';

/** Every evaluator. */
export const evaluators: readonly Evaluator[] = [
  criteria,
  latencyBudget,
  llmJudge,
  rubricJudge,
  scoreJudge,
  ...gates,
  interaction,
  duration,
  measure,
  scriptEvaluator,
];
