import { afterAll, beforeAll, it, type TestContext } from 'vitest';
import { counted } from '../../shared/format.ts';
import { meanOrNull } from '../../shared/stats/spread.ts';
import { shorten } from '../../shared/text.ts';
import type {
  EvalResult,
  EvalScore,
  EvalScorer,
  EvalStats,
  EvalSuiteResult,
  MCPTestCase,
  MCPTestConfig,
  MCPTestContext,
} from './eval-types.ts';
import { outputText } from './output.ts';
import { AssayError } from './program.ts';
import { AssertionFailure, describeSafely, skippedWithoutKey } from './registration.ts';
import { debugLog, ServerUnderTest } from './server-under-test.ts';

/** The scorers and thresholds of a case. */
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
  const overallScore = meanOrNull(scores.map(({ score }) => score)) ?? 0;
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
    averageScore: meanOrNull(results.map(({ overallScore }) => overallScore)) ?? 0,
    averageExecutionTime: meanOrNull(results.map(({ executionTime }) => executionTime)) ?? 0,
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
      return { scorerName, score: 0, explanation: `returned ${String(score)}, which is not a number from 0 to 1` };
    }
    const explanation = await scorer.explain?.(output, expected, context);
    return { scorerName, score, ...(explanation !== undefined && { explanation }) };
  } catch (error) {
    return { scorerName, score: 0, explanation: `failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const longestOutput = 500;

/** Why a case did not pass: the explanation of each scorer, and the output. */
export function failureText({ scores, overallScore, output, error }: EvalResult, threshold: number): string {
  if (error) return `The task failed: ${error.message}`;
  const lines = scores.map(({ scorerName, score, explanation }) => {
    const why = explanation === undefined ? '' : `: ${explanation}`;
    return `  ${score.toFixed(2)}  ${scorerName}${why}`;
  });
  const head = `The mean score is ${overallScore.toFixed(3)}, less than the threshold of ${threshold}.`;
  return [head, ...lines, `  output: ${shorten(jsonText(output), longestOutput)}`].join('\n');
}

/** One line for all cases. */
export function statsText(name: string, { stats, passed }: EvalSuiteResult): string {
  const { totalTests, passedTests, averageScore, averageExecutionTime } = stats;
  const cases = `${passedTests} of ${counted(totalTests, 'case')} passed`;
  const figures = `mean score ${averageScore.toFixed(3)}, mean time ${averageExecutionTime.toFixed(0)} ms`;
  return `${name}: ${passed ? 'passed' : 'failed'}; ${cases}, ${figures}`;
}

function jsonText(output: unknown): string {
  try {
    return JSON.stringify(output) ?? String(output);
  } catch {
    return outputText(String(output));
  }
}

declare module 'vitest' {
  interface TaskMeta {
    /** For reporters: how a case of an evaluation was scored. */
    assay?: { readonly overallScore: number; readonly scores: readonly EvalScore[] };
  }
}

/** A call gets this much less time than the test, so the report names the slow call. */
const graceMs = 1_000;

/** A suite with a test for each case, which passes when the mean of its scores reaches the threshold. */
export function describeEval<Input, Expected>(config: MCPTestConfig<Input, Expected>): void {
  const { name, threshold = 0.8, timeout = 60_000, scorers } = config;
  describeSafely(name, async () => {
    if (scorers.length === 0) throw new AssayError('USAGE', `The evaluation "${name}" has no scorers.`);
    const cases = await casesOf(config);
    const rules: CaseRules = { scorers, threshold, task: (input, context) => config.task(input as Input, context) };
    const suite = startedSuite(config, timeout);
    for (const [index, testCase] of cases.entries()) {
      const title = testCase.name ?? testCase.description ?? `case ${index + 1}`;
      it(title, (context) => suite.runCase(testCase, rules, context), timeout + graceMs);
    }
  });
}

async function casesOf<Input, Expected>({
  name,
  data,
}: MCPTestConfig<Input, Expected>): Promise<readonly MCPTestCase[]> {
  const cases = typeof data === 'function' ? await data() : data;
  if (cases.length > 0) return cases;
  throw new AssayError('USAGE', `The evaluation "${name}" has no cases: its \`data\` is empty.`);
}

/** The server of a suite runs from before its first case until after its last. */
function startedSuite<Input, Expected>(config: MCPTestConfig<Input, Expected>, timeoutMs: number) {
  const results: EvalResult[] = [];
  const giveUp = new AbortController();
  let starting: Promise<ServerUnderTest> | undefined;
  beforeAll(async () => {
    const options = { timeoutMs, isDebugged: false, model: config.model, signal: giveUp.signal };
    starting = ServerUnderTest.start(config.server, options);
    await starting;
  }, timeoutMs + graceMs);
  afterAll(async () => {
    giveUp.abort();
    const server = await starting?.catch(() => undefined);
    await server?.[Symbol.asyncDispose]();
    debugLog(false)(() => statsText(config.name, summarize(results, config.threshold ?? 0.8)));
  }, timeoutMs);
  return {
    async runCase(testCase: MCPTestCase, rules: CaseRules, test: TestContext): Promise<void> {
      const server = await starting;
      if (!server) throw new AssayError('USAGE', 'The server of the evaluation was not started.');
      const utils = server.utils(test.signal);
      const context = { server: config.server, tools: await server.tools(), testCase, utils };
      const result = await skippedWithoutKey(test, () => evaluateCase(context, rules));
      results.push(result);
      test.task.meta.assay = { overallScore: result.overallScore, scores: result.scores };
      if (!result.passed) throw new AssertionFailure(failureText(result, rules.threshold), { cause: result.error });
    },
  };
}
