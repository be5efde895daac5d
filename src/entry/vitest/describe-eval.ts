import { afterAll, beforeAll, it, type TestContext } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { AssertionFailure } from './assertion-failure.ts';
import { debugLog } from './debug-log.ts';
import { describeSafely } from './describe-safely.ts';
import type { EvalResult, EvalScore, MCPTestCase, MCPTestConfig } from './eval-types.ts';
import { type CaseRules, evaluateCase, summarize } from './evaluate-case.ts';
import { failureText, statsText } from './result-text.ts';
import { ServerUnderTest } from './server-under-test.ts';
import { skippedWithoutKey } from './skipped-without-key.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** For reporters: how a case of an evaluation was scored. */
    assay?: { readonly overallScore: number; readonly scores: readonly EvalScore[] };
  }
}

/** What a call is given less than the test, so that it is told which call took too long. */
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
