export { type Config, openProject, type Project } from './compose/config.ts';
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
export type { EvaluatorResult, Fault, Outcome } from './domain/outcome.ts';
export type { Problem } from './domain/problem.ts';
export type { TrialRecord } from './domain/record.ts';
export type { RunHeader, RunRequest, RunSummary, Totals } from './domain/run.ts';
export type { RunEvent } from './domain/run-event.ts';
export type { Case, Scenario } from './domain/scenario.ts';
export type { Trace, TraceEvent } from './domain/trace.ts';
export { loadScenarios } from './scenarios/load.ts';
export { openStore } from './store/open-store.ts';
export { eachTrial, type Store } from './store/store.ts';
