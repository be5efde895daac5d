import { type JudgeInput, type JudgeOutput, type JudgeVerdict, readActualResult } from '../../domain/judge-protocol.ts';
import { type Criterion, type CriterionAnswer, compileCriterion } from './criterion.ts';
import { type CriterionDefect, CriterionError } from './criterion-error.ts';
import type { CriterionRole } from './explaining.ts';
import { type JudgedCriterion, summarize } from './judge-summary.ts';
import type { CriteriaScope } from './scope.ts';
import { computeConfidence } from './verdict.ts';

/** A computed answer and the criteria that could not be used; any of those makes the test itself defective. */
export interface Judgement {
  output: JudgeOutput;
  unusable: CriterionDefect[];
}

/** Two lists of criteria, compiled once to judge any number of results. */
export interface CompiledJudge {
  /** Judges one result and explains every criterion. */
  (scope: CriteriaScope, test: { testName: string }): Judgement;
  /** Gives the verdict alone, stopping at the first criterion that decides it. */
  verdict(scope: CriteriaScope): JudgeVerdict;
}

/** Judges one input of the protocol. */
export function judgeProtocol(input: JudgeInput): Judgement {
  const { name, input: toolInput } = input.testScenario;
  const judge = compileJudge(input.passCriteria, input.failCriteria);
  return judge({ ...readActualResult(input.actualResult), input: toolInput }, { testName: name });
}

/** Compiles both lists of criteria; one that cannot be compiled is reported by each judgement, not thrown. */
export function compileJudge(passCriteria: readonly string[], failCriteria: readonly string[]): CompiledJudge {
  const passes = passCriteria.map(compileOrReport);
  const fails = failCriteria.map(compileOrReport);
  const confidence = computeConfidence([...passCriteria, ...failCriteria]);
  const judge = (scope: CriteriaScope, { testName }: { testName: string }): Judgement => {
    const passed = passes.map((criterion) => judgeCriterion(criterion, scope, 'pass'));
    const failed = fails.map((criterion) => judgeCriterion(criterion, scope, 'fail'));
    const unusable = [...passed, ...failed].flatMap(({ defect }) => defect ?? []);
    const summary = summarize(passed, failed, unusable.length > 0 ? 'LOW' : confidence);
    const output: JudgeOutput = {
      testName,
      verdict: summary.verdict,
      passCriteriaEvaluation: evaluatePasses(passed),
      failCriteriaEvaluation: evaluateFails(failed),
      summary,
    };
    return { output, unusable };
  };
  const verdict = (scope: CriteriaScope): JudgeVerdict => {
    const allMet = passes.every((criterion) => criterion.answer(scope).state === 'met');
    return allMet && fails.every((criterion) => criterion.answer(scope).state === 'not-met') ? 'PASS' : 'FAIL';
  };
  return Object.assign(judge, { verdict });
}

type Answering = Pick<Criterion, 'source' | 'answer'>;

function compileOrReport(source: string): Answering {
  try {
    return compileCriterion(source);
  } catch (error) {
    if (!(error instanceof CriterionError)) throw error;
    const unusable: CriterionAnswer = { state: 'unusable', defect: error.defect };
    return { source, answer: () => unusable };
  }
}

function judgeCriterion(criterion: Answering, scope: CriteriaScope, role: CriterionRole): JudgedCriterion {
  const answer = criterion.answer(scope);
  if (answer.state !== 'unusable') {
    return {
      criterion: criterion.source,
      state: answer.state,
      explanation: answer.explanation(role),
      defect: undefined,
    };
  }
  const { defect } = answer;
  const explanation = `cannot be evaluated: ${defect.message} (column ${defect.column})`;
  return { criterion: criterion.source, state: 'unusable', explanation, defect };
}

function evaluatePasses(judged: readonly JudgedCriterion[]): JudgeOutput['passCriteriaEvaluation'] {
  const passed = judged.filter(({ state }) => state === 'met').length;
  const details = judged.map(({ criterion, state, explanation }) => ({
    criterion,
    result: state === 'met',
    explanation,
  }));
  return { total: judged.length, passed, failed: judged.length - passed, details };
}

/** A criterion that could not be evaluated is neither triggered nor avoided. */
function evaluateFails(judged: readonly JudgedCriterion[]): JudgeOutput['failCriteriaEvaluation'] {
  const details = judged.map(({ criterion, state, explanation }) => ({
    criterion,
    triggered: state === 'met',
    explanation,
  }));
  return {
    total: judged.length,
    triggered: judged.filter(({ state }) => state === 'met').length,
    avoided: judged.filter(({ state }) => state === 'not-met').length,
    details,
  };
}
