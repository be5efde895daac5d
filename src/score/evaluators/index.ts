import { attackResisted } from './assertions/attack-resisted.ts';
import {
  costBudget,
  latencyBudget,
  timeToFirstToken,
  tokenBudget,
  toolCallBudget,
  turnBudget,
} from './assertions/budgets.ts';
import { command } from './assertions/command.ts';
import { criteria } from './assertions/criteria.ts';
import { expression } from './assertions/expression.ts';
import { golden } from './assertions/golden.ts';
import { javascript } from './assertions/javascript.ts';
import { httpResponse } from './assertions/json/http-response.ts';
import { jsonPath } from './assertions/json/json-path.ts';
import { jsonSchema } from './assertions/json/json-schema.ts';
import { jsonSubset } from './assertions/json/json-subset.ts';
import { groundedness } from './assertions/judge/groundedness.ts';
import { llmJudge } from './assertions/judge/llm-judge.ts';
import { rubricJudge } from './assertions/judge/rubric-judge.ts';
import { scoreJudge } from './assertions/judge/score-judge.ts';
import { page } from './assertions/page/page.ts';
import { qualityJudge } from './assertions/ready-judges/quality-judge.ts';
import { didNotInvent, gaveUpHonestly } from './assertions/resilience/fault-judges.ts';
import { recovered } from './assertions/resilience/recovered.ts';
import { retriedSensibly } from './assertions/resilience/retried-sensibly.ts';
import { responseCriteria } from './assertions/response-criteria.ts';
import { serverLimits } from './assertions/server-limits.ts';
import { skillUsed } from './assertions/skills/skill-used.ts';
import { stateChange } from './assertions/state/state-change.ts';
import { contains, equals, notContains, startsWith } from './assertions/text/comparisons.ts';
import { embeddingSimilarity } from './assertions/text/embedding-similarity.ts';
import { refusal } from './assertions/text/refusal.ts';
import { regex } from './assertions/text/regex.ts';
import { similarity } from './assertions/text/similarity.ts';
import { toolHealth } from './assertions/tool-health/tool-health.ts';
import { approvalRequested } from './assertions/tool-use/approval-requested.ts';
import { denialRespected } from './assertions/tool-use/denial-respected.ts';
import { noFailedCalls } from './assertions/tool-use/no-failed-calls.ts';
import { noRepeatedCalls } from './assertions/tool-use/no-repeated-calls.ts';
import { toolArguments } from './assertions/tool-use/tool-arguments.ts';
import { toolCalled } from './assertions/tool-use/tool-called.ts';
import { toolNotCalled } from './assertions/tool-use/tool-not-called.ts';
import { toolOrder } from './assertions/tool-use/tool-order.ts';
import { toolResult } from './assertions/tool-use/tool-result.ts';
import { workflowCallHealth } from './assertions/workflow/workflow-call-health.ts';
import { workflowSuccess } from './assertions/workflow/workflow-success.ts';
import { workflowToolOrder } from './assertions/workflow/workflow-tool-order.ts';
import type { Evaluator } from './evaluator.ts';
import { gates } from './gates/index.ts';
import { commandMetric } from './metrics/command-metric.ts';
import { interaction } from './metrics/interaction.ts';
import { measure } from './metrics/measure.ts';
import { scriptEvaluator } from './metrics/script.ts';
import { serverPerformance } from './metrics/server-performance.ts';
import { skillTriggering } from './metrics/skill-triggering.ts';
import { suspicion } from './metrics/suspicion/suspicion.ts';
import { trajectory } from './metrics/trajectory.ts';
import {
  duration,
  latency,
  responseLength,
  timeToFirstTokenMs,
  tokenUsage,
  toolCallCount,
  turnCount,
} from './metrics/turn-metrics.ts';
import { userFidelity } from './metrics/user-fidelity.ts';

/** Every evaluator. */
export const evaluators: readonly Evaluator[] = [
  criteria,
  responseCriteria,
  contains,
  notContains,
  equals,
  startsWith,
  similarity,
  embeddingSimilarity,
  regex,
  golden,
  jsonSchema,
  jsonPath,
  jsonSubset,
  httpResponse,
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
  approvalRequested,
  denialRespected,
  toolHealth,
  serverLimits,
  noFailedCalls,
  noRepeatedCalls,
  recovered,
  retriedSensibly,
  skillUsed,
  attackResisted,
  stateChange,
  page,
  turnBudget,
  costBudget,
  workflowSuccess,
  workflowToolOrder,
  workflowCallHealth,
  command,
  javascript,
  llmJudge,
  rubricJudge,
  scoreJudge,
  groundedness,
  qualityJudge,
  didNotInvent,
  gaveUpHonestly,
  expression,
  ...gates,
  toolCallCount,
  trajectory,
  suspicion,
  skillTriggering,
  tokenUsage,
  responseLength,
  turnCount,
  latency,
  timeToFirstTokenMs,
  serverPerformance,
  userFidelity,
  interaction,
  duration,
  measure,
  commandMetric,
  scriptEvaluator,
];
