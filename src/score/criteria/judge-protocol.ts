import {
  type JudgeConfidence,
  type JudgeInput,
  type JudgeOutput,
  type JudgeVerdict,
  readActualResult,
} from '../../domain/judge-protocol.ts';
import { type Criterion, type CriterionAnswer, compileCriterion } from './criterion.ts';
import { type CriterionDefect, CriterionError } from './criterion-error.ts';
import type { CriteriaScope, CriterionRole } from './scope.ts';

/** One criterion with what was found out about it. */
interface JudgedCriterion {
  criterion: string;
  state: 'met' | 'not-met' | 'unusable';
  explanation: string;
  defect: CriterionDefect | undefined;
}

/** A verdict with the counts behind it. */
interface CountedVerdict {
  verdict: JudgeVerdict;
  /** Pass criteria that were met. */
  passCount: number;
  /** Fail criteria that were triggered. */
  failCount: number;
  totalCriteria: number;
}

/** Computes the verdict: PASS when every pass criterion is met and every fail criterion avoided. */
export function computeVerdict(passResults: readonly boolean[], failAvoided: readonly boolean[]): CountedVerdict {
  const passCount = passResults.filter(Boolean).length;
  const failCount = failAvoided.filter((avoided) => !avoided).length;
  return {
    verdict: passCount === passResults.length && failCount === 0 ? 'PASS' : 'FAIL',
    passCount,
    failCount,
    totalCriteria: passResults.length + failAvoided.length,
  };
}

const ambiguousWords = ['approximately', 'around', 'roughly'];

/** Computes the confidence from how many criteria are worded vaguely. */
export function computeConfidence(criteria: readonly string[]): JudgeConfidence {
  const ambiguous = criteria.filter((criterion) => ambiguousWords.some((word) => criterion.includes(word))).length;
  if (ambiguous === 0) return 'HIGH';
  return ambiguous < criteria.length / 2 ? 'MEDIUM' : 'LOW';
}

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

/** Sums a judgement up by the decision tree: pass failures first, then fail conditions. */
function summarize(
  passes: readonly JudgedCriterion[],
  fails: readonly JudgedCriterion[],
  confidence: JudgeConfidence,
): JudgeOutput['summary'] {
  const missed = passes.filter(({ state }) => state !== 'met');
  const triggered = fails.filter(({ state }) => state === 'met');
  const unclear = fails.filter(({ state }) => state === 'unusable');
  if (missed.length + triggered.length + unclear.length === 0) {
    return {
      verdict: 'PASS',
      reason: `All ${passes.length} pass criteria met, 0 fail criteria triggered`,
      confidence,
      recommendation: 'Test passed successfully. Tool behavior matches expected specification.',
    };
  }
  const sentences: string[] = [];
  if (missed.length > 0) sentences.push(`${missed.length} of ${passes.length} pass criteria failed: ${list(missed)}`);
  else if (triggered.length > 0) sentences.push(`${conditions(triggered)} triggered: ${list(triggered)}`);
  if (unclear.length > 0) sentences.push(`${conditions(unclear)} cannot be evaluated: ${list(unclear)}`);
  return {
    verdict: 'FAIL',
    reason: sentences.join('. '),
    confidence,
    recommendation: recommend(missed, triggered, unclear),
  };
}

function conditions({ length }: readonly JudgedCriterion[]): string {
  return length === 1 ? '1 fail condition' : `${length} fail conditions`;
}

function list(judged: readonly JudgedCriterion[]): string {
  return judged.map(({ criterion, defect }) => criterion + (defect ? ` (${describeDefect(defect)})` : '')).join('; ');
}

function describeDefect({ column, message }: CriterionDefect): string {
  return `column ${column}: ${message}`;
}

function recommend(
  missed: readonly JudgedCriterion[],
  triggered: readonly JudgedCriterion[],
  unclear: readonly JudgedCriterion[],
): string {
  const defective = [...missed, ...unclear].find(({ defect }) => defect !== undefined);
  if (defective?.defect !== undefined) {
    const { column, hint } = defective.defect;
    const advice = hint === undefined ? '' : ` Hint: ${hint}${hint.endsWith('?') ? '' : '.'}`;
    return `Correct the test before judging the tool: look at column ${column} of \`${defective.criterion}\`.${advice}`;
  }
  const [firstMissed] = missed;
  if (firstMissed !== undefined) {
    return `Test failed. Compare the tool's behavior with the specification, starting here: ${firstMissed.explanation}.`;
  }
  return `Test failed. The tool did what it must not do, starting here: ${triggered[0]?.explanation ?? ''}.`;
}
