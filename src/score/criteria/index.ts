export {
  type Criterion,
  type CriterionAnswer,
  compileCriterion,
  compileExpression,
  type Expression,
} from './criterion.ts';
export { type CriterionDefect, CriterionError, unusableCriterion } from './criterion-error.ts';
export {
  type CompiledJudge,
  compileJudge,
  computeConfidence,
  computeVerdict,
  type Judgement,
  judgeProtocol,
} from './judge-protocol.ts';
export type { CriteriaScope } from './scope.ts';
