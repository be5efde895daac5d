import { AssayError } from '../../domain/errors.ts';
import type { EvalResult, EvalScore, EvalScorer, EvalStats, EvalSuiteResult, MCPTestContext } from './eval-types.ts';

/** What a case is judged by. */
export interface CaseRules {
  task(input: unknown, context: MCPTestContext): unknown;
  readonly scorers: readonly EvalScorer[];
  readonly threshold: number;
}

/** Sums of tenths are not exact: 0.1 + 0.7 is less than 0.8. */
const roundingError = 1e-9;

/** Runs the task of a case and scores what comes of it. A task that throws has failed, whatever it would score. */
export async function evaluateCase(context: MCPTestContext, rules: CaseRules): Promise<EvalResult> {
  const { testCase } = context;
  const began = performance.now();
  let output: unknown;
  try {
    output = await rules.task(testCase.input, context);
  } catch (thrown) {
    if (thrown instanceof AssayError && thrown.code === 'MODEL_NO_KEY') throw thrown;
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const executionTime = performance.now() - began;
    return { testCase, output: undefined, scores: [], overallScore: 0, passed: false, executionTime, error };
  }
  const executionTime = performance.now() - began;
  const scores = await Promise.all(rules.scorers.map((scorer) => scored(scorer, output, context)));
  const overallScore = mean(scores.map(({ score }) => score));
  const passed = overallScore >= rules.threshold - roundingError;
  return { testCase, output, scores, overallScore, passed, executionTime };
}

/** All cases together: it passes when every case does and the mean of their scores reaches the threshold. */
export function summarize(results: readonly EvalResult[], threshold: number): EvalSuiteResult {
  const passedTests = results.filter(({ passed }) => passed).length;
  const stats: EvalStats = {
    totalTests: results.length,
    passedTests,
    failedTests: results.length - passedTests,
    averageScore: mean(results.map(({ overallScore }) => overallScore)),
    averageExecutionTime: mean(results.map(({ executionTime }) => executionTime)),
  };
  return { results, stats, passed: stats.failedTests === 0 && stats.averageScore >= threshold - roundingError };
}

/** A scorer that throws or gives no number from 0 to 1 has given 0. */
async function scored(scorer: EvalScorer, output: unknown, context: MCPTestContext): Promise<EvalScore> {
  const scorerName = scorer.name;
  const { expected } = context.testCase;
  try {
    const score = await scorer.score(output, expected, context);
    if (!(score >= 0 && score <= 1)) {
      return { scorerName, score: 0, explanation: `gave ${String(score)}, which is no number from 0 to 1` };
    }
    const explanation = await scorer.explain?.(output, expected, context);
    return { scorerName, score, ...(explanation !== undefined && { explanation }) };
  } catch (error) {
    return { scorerName, score: 0, explanation: `failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
