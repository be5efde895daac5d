import type { TestContext } from 'vitest';
import type { ToolHealthResult, ToolTestResult, WorkflowEvaluation } from '../../compose/run/evaluation-report.ts';
import { AssertionFailure } from './assertion-failure.ts';

const notRun = 'It was not run: the evaluation was stopped before it came to this.';

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
