export type {
  AgentExit,
  AgentKind,
  AgentLaunch,
  AgentProcess,
  AgentReport,
  AgentSession,
  AgentSettings,
} from './agents/agent.ts';
export type { SideSource } from './compare/collect-side.ts';
export { type CompareOptions, compareSides } from './compare/compare-sides.ts';
export type { Comparison } from './compare/comparison.ts';
export { type Config, openProject, type Project } from './compose/config.ts';
export { type EvaluateOptions, evaluate } from './compose/evaluate.ts';
export type {
  EvaluationReport,
  EvaluationResult,
  ToolHealthResult,
  ToolTestResult,
  WorkflowEvaluation,
} from './compose/evaluation-report.ts';
export { registeredParts } from './compose/parts.ts';
export { type ProjectRun, type RunProjectOptions, runProject } from './compose/run-project.ts';
export {
  type CompiledJudge,
  type CriteriaScope,
  type Criterion,
  type CriterionAnswer,
  type CriterionDefect,
  CriterionError,
  compileCriterion,
  compileExpression,
  compileJudge,
  computeConfidence,
  computeVerdict,
  type Expression,
  type Judgement,
  judgeProtocol,
} from './criteria/index.ts';
export { AssayError, type Blame, type ErrorCode } from './domain/errors.ts';
export { type JudgeInput, type JudgeOutput, judgeInputSchema } from './domain/judge-protocol.ts';
export type { Message, MessageToolCall, TokenUsage } from './domain/message.ts';
export type { EvaluatorResult, Fault, Outcome } from './domain/outcome.ts';
export type { Problem } from './domain/problem.ts';
export type { TrialRecord } from './domain/record.ts';
export type { RunHeader, RunRequest, RunSummary, Totals } from './domain/run.ts';
export type { RunEvent } from './domain/run-event.ts';
export type { Case, Scenario, When } from './domain/scenario.ts';
export type { Trace, TraceEvent } from './domain/trace.ts';
export { assistantText, type Turn, toolCallsIn, turnsOf } from './domain/turn.ts';
export type { Aggregate, Answer, EvaluationContext } from './evaluators/evaluator.ts';
export type { ConnectorAnswer, ConnectorContext, ConnectorTestContext } from './plugins/connector-plugin.ts';
export { defineAgent, defineConnector, defineEvaluator, defineReporter, type Plugin } from './plugins/define.ts';
export type { AssertionResult, EvaluatorContext, LastInvocation, MetricResult } from './plugins/evaluator-plugin.ts';
export { loadPlugins, type Plugins } from './plugins/load-plugins.ts';
export { withPlugins } from './plugins/with-plugins.ts';
export type { Reporter, ReportStyle, StoredRun } from './reporters/reporter.ts';
export { loadScenarios } from './scenarios/load.ts';
export { openStore } from './store/open-store.ts';
export { eachTrial, type Store } from './store/store.ts';
export type {
  Connector,
  ConnectorRequest,
  ConnectorResponse,
  ConnectorSettings,
} from './targets/connectors/connector.ts';
export type { TargetContext } from './targets/target.ts';
