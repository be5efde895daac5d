export { type Config, openProject, type Project } from '../compose/config/project.ts';
export { registeredParts } from '../compose/parts.ts';
export type { ConnectorAnswer, ConnectorContext, ConnectorTestContext } from '../compose/plugins/connector-plugin.ts';
export {
  defineAgent,
  defineConnector,
  defineEvaluator,
  defineReporter,
  type Plugin,
} from '../compose/plugins/define.ts';
export type {
  AssertionResult,
  EvaluatorContext,
  LastInvocation,
  MetricResult,
} from '../compose/plugins/evaluator-plugin.ts';
export { loadPlugins, type Plugins, withPlugins } from '../compose/plugins/load-plugins.ts';
export { type EvaluateOptions, evaluate } from '../compose/run/evaluate.ts';
export type {
  EvaluationReport,
  EvaluationResult,
  ToolHealthResult,
  ToolTestResult,
  WorkflowEvaluation,
} from '../compose/run/evaluation-report.ts';
export { type ProjectRun, type RunProjectOptions, runProject } from '../compose/run/run-project.ts';
export type { FaultSource } from '../domain/error-codes/error-kind.ts';
export { AssayError, type ErrorCode } from '../domain/errors.ts';
export { type JudgeInput, type JudgeOutput, judgeInputSchema } from '../domain/judge-protocol.ts';
export type { Message, MessageToolCall } from '../domain/message.ts';
export type { EvaluatorResult, Fault, Outcome } from '../domain/outcome.ts';
export type { Problem } from '../domain/problem.ts';
export type { TrialRecord } from '../domain/record.ts';
export type { RunEvent, RunHeader, RunRequest, RunSummary, Totals } from '../domain/run.ts';
export type { Case, Scenario, When } from '../domain/scenario.ts';
export type { Trace, TraceEvent } from '../domain/trace.ts';
export { assistantText, type Turn, toolCallsIn, turnsOf } from '../domain/turn.ts';
export type { TokenUsage, Usage } from '../domain/usage.ts';
export type {
  AgentExit,
  AgentKind,
  AgentLaunch,
  AgentProcess,
  AgentReport,
  AgentSession,
  AgentSettings,
} from '../drive/agents/agent.ts';
export type {
  Connector,
  ConnectorRequest,
  ConnectorResponse,
  ConnectorSettings,
} from '../drive/connectors/connector.ts';
export type { TargetContext } from '../drive/targets/target.ts';

export { eachTrial, type Store } from '../keep/store/store.ts';
export { defineScenario, defineSuite } from '../load/scenarios/code/define-scenario.ts';
export type {
  CallScenario,
  CliToolScenario,
  ConversationScenario,
  DatasetDefinition,
  DatasetRow,
  EvaluatorDefinition,
  McpServerScenario,
  OwnEvaluators,
  ScenarioDefinition,
  SuiteDefinition,
} from '../load/scenarios/code/scenario-definition.ts';
export { loadScenarios } from '../load/scenarios/load.ts';
export { type CompareOptions, compareSides } from '../report/compare/compare-sides.ts';
export type { Comparison } from '../report/compare/comparison.ts';
export type { SideSource } from '../report/compare/side-collector.ts';
export type { Reporter, ReportStyle, StoredRun } from '../report/reporters/reporter.ts';
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
} from '../score/criteria/index.ts';
export type { Aggregate, Answer, EvaluationContext } from '../score/evaluators/evaluator.ts';
export { type OpenStoreOptions, openStore } from './open-store.ts';
