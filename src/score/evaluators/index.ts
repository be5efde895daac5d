import { contains } from './assertions/contains.ts';
import { costBudget } from './assertions/cost-budget.ts';
import { criteria } from './assertions/criteria.ts';
import { equals } from './assertions/equals.ts';
import { jsonPath } from './assertions/json-path.ts';
import { jsonSchema } from './assertions/json-schema.ts';
import { jsonSubset } from './assertions/json-subset.ts';
import { latencyBudget } from './assertions/latency-budget.ts';
import { llmJudge } from './assertions/llm-judge.ts';
import { noFailedCalls } from './assertions/no-failed-calls.ts';
import { noRepeatedCalls } from './assertions/no-repeated-calls.ts';
import { notContains } from './assertions/not-contains.ts';
import { refusal } from './assertions/refusal.ts';
import { regex } from './assertions/regex.ts';
import { responseCriteria } from './assertions/response-criteria.ts';
import { rubricJudge } from './assertions/rubric-judge.ts';
import { scoreJudge } from './assertions/score-judge.ts';
import { similarity } from './assertions/similarity.ts';
import { startsWith } from './assertions/starts-with.ts';
import { timeToFirstToken } from './assertions/time-to-first-token.ts';
import { tokenBudget } from './assertions/token-budget.ts';
import { toolArguments } from './assertions/tool-arguments.ts';
import { toolCallBudget } from './assertions/tool-call-budget.ts';
import { toolCalled } from './assertions/tool-called.ts';
import { toolHealth } from './assertions/tool-health.ts';
import { toolNotCalled } from './assertions/tool-not-called.ts';
import { toolOrder } from './assertions/tool-order.ts';
import { toolResult } from './assertions/tool-result.ts';
import { turnBudget } from './assertions/turn-budget.ts';
import { workflowCallHealth } from './assertions/workflow-call-health.ts';
import { workflowSuccess } from './assertions/workflow-success.ts';
import { workflowToolOrder } from './assertions/workflow-tool-order.ts';
import type { Evaluator } from './evaluator.ts';
import { gates } from './gates/index.ts';
import { duration } from './metrics/duration.ts';
import { interaction } from './metrics/interaction.ts';
import { latency } from './metrics/latency.ts';
import { measure } from './metrics/measure.ts';
import { responseLength } from './metrics/response-length.ts';
import { scriptEvaluator } from './metrics/script.ts';
import { timeToFirstTokenMs } from './metrics/time-to-first-token-ms.ts';
import { tokenUsage } from './metrics/token-usage.ts';
import { toolCallCount } from './metrics/tool-call-count.ts';
import { turnCount } from './metrics/turn-count.ts';

/** Every evaluator. */
export const evaluators: readonly Evaluator[] = [
  criteria,
  responseCriteria,
  contains,
  notContains,
  equals,
  startsWith,
  similarity,
  regex,
  jsonSchema,
  jsonPath,
  jsonSubset,
  refusal,
  latencyBudget,
  timeToFirstToken,
  tokenBudget,
  toolCallBudget,
  toolCalled,
  toolNotCalled,
  toolOrder,
  toolArguments,
  toolResult,
  toolHealth,
  noFailedCalls,
  noRepeatedCalls,
  turnBudget,
  costBudget,
  workflowSuccess,
  workflowToolOrder,
  workflowCallHealth,
  llmJudge,
  rubricJudge,
  scoreJudge,
  ...gates,
  toolCallCount,
  tokenUsage,
  responseLength,
  turnCount,
  latency,
  timeToFirstTokenMs,
  interaction,
  duration,
  measure,
  scriptEvaluator,
];
