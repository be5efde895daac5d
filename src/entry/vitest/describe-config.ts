import { relative, resolve } from 'node:path';
import { beforeAll, describe, it, type TestContext } from 'vitest';
import type { EvaluateOptions } from '../../compose/run/evaluate.ts';
import type {
  EvaluationReport,
  ToolHealthResult,
  ToolTestResult,
  WorkflowEvaluation,
} from '../../compose/run/evaluation-report.ts';
import type { ToolHealthSuite } from '../../domain/mcp/suites.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { evaluate, openProject, selectScenarios, wantedParts } from './program.ts';
import { AssertionFailure, describeSafely } from './registration.ts';
import { isDebugRequested } from './server-under-test.ts';

const notRun = 'Not run: the evaluation was stopped before this test.';

/** Fails unless a test of a suite passed each time that the suite was run. */
export function showTest(suites: readonly ToolHealthResult[], index: number): void {
  if (suites.length === 0) throw new AssertionFailure(notRun);
  for (const { results, error } of suites) {
    const entry = results[index];
    if (!entry) throw new AssertionFailure(error === undefined ? notRun : unjudged(error));
    if (!entry.passed) throw new AssertionFailure(entryText(entry));
  }
}

/** Fails unless all tests of a suite passed. */
export function showSuite(suites: readonly ToolHealthResult[]): void {
  if (suites.length === 0) throw new AssertionFailure(notRun);
  for (const { passed, results, error, passedTests, totalTests } of suites) {
    if (passed) continue;
    const failures = results.filter((entry) => !entry.passed);
    const lines = failures.map((entry) => `  ${entry.testName} (${entry.toolName}): ${entryText(entry)}`);
    const why = error === undefined ? [] : [`  ${unjudged(error)}`];
    throw new AssertionFailure([`${passedTests} of ${totalTests} tests passed`, ...lines, ...why].join('\n'));
  }
}

/** Fails unless a workflow passed each time; skips when there is no key for the model that should drive it. */
export function showWorkflow(evaluations: readonly WorkflowEvaluation[], context: Pick<TestContext, 'skip'>): void {
  if (evaluations.length === 0) throw new AssertionFailure(notRun);
  const withoutKey = evaluations.flatMap(({ fault }) => (fault?.code === 'MODEL_NO_KEY' ? [fault] : []));
  const [first] = withoutKey;
  if (first && withoutKey.length === evaluations.length) context.skip(`${first.message} ${first.hint}`);
  for (const { passed, results, overallScore, fault } of evaluations) {
    if (passed) continue;
    const lines = results.map((result) => `  ${result.score.toFixed(2)}  ${result.metric}: ${result.details}`);
    const head = fault ? unjudged(fault.message) : `The overall score is ${overallScore.toFixed(3)}`;
    throw new AssertionFailure([head, ...lines].join('\n'));
  }
}

function entryText({ state, details, error }: ToolTestResult): string {
  const text = error === undefined || details.includes(error) ? details : `${details} (${error})`;
  return state === 'error' ? unjudged(text) : text;
}

function unjudged(why: string): string {
  return `Could not be judged: ${why}`;
}

/** Names of the tests of a tool health suite, in the order of the file. */
async function toolTestNames(scenario: Pick<Scenario, 'cases'>): Promise<string[]> {
  const names: string[] = [];
  for await (const { input } of scenario.cases()) {
    const { suite } = input as { readonly suite: ToolHealthSuite };
    names.push(...suite.tests.map(({ name, description }) => description ?? `${name} test`));
  }
  return names;
}

export interface ConfigOptions extends Omit<EvaluateOptions, 'signal'> {
  /** Milliseconds for the whole config; 120,000 by default. */
  readonly timeout?: number;
}

/** Time to end servers after the time for the config was up. */
const graceMs = 10_000;

/** A suite with a test for each tool test, other suite and workflow of a config, which is run once as a whole. */
export function describeEvalFromConfig(name: string, configPath: string, options: ConfigOptions = {}): void {
  const { timeout = 120_000, ...evaluation } = options;
  describeSafely(name, async () => {
    const scenarios = await scenariosIn(configPath, evaluation);
    const reports: EvaluationReport[] = [];
    beforeAll(async () => {
      const debug = evaluation.debug ?? isDebugRequested();
      reports.push(await evaluate(configPath, { ...evaluation, debug, signal: AbortSignal.timeout(timeout) }));
    }, timeout + graceMs);
    for (const scenario of scenarios) await describeScenario(scenario, () => reports);
  });
}

/** The same for the tool health suites alone. */
export function describeToolHealthFromConfig(
  name: string,
  configPath: string,
  options: Omit<ConfigOptions, 'toolHealthOnly' | 'workflowsOnly'> = {},
): void {
  describeEvalFromConfig(name, configPath, { ...options, toolHealthOnly: true });
}

async function scenariosIn(configPath: string, options: EvaluateOptions): Promise<readonly Scenario[]> {
  const { env } = process;
  const project = await openProject(process.cwd(), env);
  const paths = [relative(project.folder, resolve(configPath))];
  const request = { paths, serverParts: wantedParts(options), judge: options.llmJudge };
  const { scenarios } = await selectScenarios(request, project, { env });
  return scenarios;
}

async function describeScenario(scenario: Scenario, reports: () => readonly EvaluationReport[]): Promise<void> {
  const { name, serverPart } = scenario;
  const ofSuite = () => reports().flatMap((report) => report.toolHealthResults.filter((r) => r.suiteName === name));
  const ofWorkflow = () => reports().flatMap((report) => report.evaluations.filter((e) => e.workflowName === name));
  if (serverPart === 'workflow') {
    it(name, (context) => showWorkflow(ofWorkflow(), context));
    return;
  }
  if (serverPart !== 'tool') {
    it(name, () => showSuite(ofSuite()));
    return;
  }
  const tests = await toolTestNames(scenario);
  describe(name, () => {
    for (const [index, test] of tests.entries()) it(test, () => showTest(ofSuite(), index));
  });
}
