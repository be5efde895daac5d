export {
  type Criterion,
  type CriterionAnswer,
  compileCriterion,
  compileExpression,
  type Expression,
} from './criterion.ts';
export { type CriterionDefect, CriterionError } from './criterion-error.ts';
export { type CompiledJudge, compileJudge, type Judgement, judgeProtocol } from './judge-protocol.ts';
export type { CriteriaScope } from './scope.ts';
export { computeConfidence, computeVerdict } from './verdict.ts';
