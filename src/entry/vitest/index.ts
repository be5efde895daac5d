import { afterAll } from 'vitest';
import { teardownAll } from './current-server.ts';
import { registerMatchers } from './matchers.ts';
import { registerTrialMatchers } from './trial-matchers.ts';

registerMatchers();
registerTrialMatchers();

// No server outlives the file of tests that forgot to end it.
afterAll(teardownAll);

export { mcpTest, type SetupOptions, setupMCPServer, teardownMCPServer } from './current-server.ts';
export { type ConfigOptions, describeEvalFromConfig, describeToolHealthFromConfig } from './describe-config.ts';
export { describeEval } from './describe-eval.ts';
export { describeScenario, runScenario } from './describe-scenario.ts';
export type {
  EvalResult,
  EvalScore,
  EvalScorer,
  EvalStats,
  EvalSuiteResult,
  MCPCallResult,
  MCPContent,
  MCPTestCase,
  MCPTestConfig,
  MCPTestContext,
  MCPTestUtils,
  MCPToolCall,
  MCPToolResult,
  MCPWorkflowResult,
  ServerConfig,
  ToolCallTestCase,
  WorkflowStep,
  WorkflowTestCase,
} from './eval-types.ts';
export { expectError, expectLatency, expectToolCall, expectToolCalls, expectWorkflowSuccess } from './expectations.ts';
export type { MCPMatchers } from './matchers.ts';
export type { ScenarioOptions, ScenarioSource } from './scenario-run.ts';
export { ScenarioTrial } from './scenario-trial.ts';
export { ContentScorer, type ContentScorerOptions } from './scorers/content-scorer.ts';
export { LatencyScorer, type LatencyScorerOptions } from './scorers/latency-scorer.ts';
export { ToolCallScorer, type ToolCallScorerOptions } from './scorers/tool-call-scorer.ts';
export { WorkflowScorer, type WorkflowScorerOptions } from './scorers/workflow-scorer.ts';
export { MCPCallError } from './server-under-test.ts';
export type { MetricLimits, TrialMatchers } from './trial-matchers.ts';
