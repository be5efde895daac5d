import { describe, expect, it } from 'vitest';
import type { ToolHealthResult, ToolTestResult, WorkflowEvaluation } from '../../compose/run/evaluation-report.ts';
import { showSuite, showTest, showWorkflow } from './describe-config.ts';

function entry(more: Partial<ToolTestResult> = {}): ToolTestResult {
  const base = { testName: 'adds', toolName: 'add', score: 1, latency: 1, details: 'As expected', retryCount: 0 };
  return { ...base, passed: true, state: 'pass', ...more };
}

function suite(results: readonly ToolTestResult[], more: Partial<ToolHealthResult> = {}): ToolHealthResult {
  const passedTests = results.filter(({ passed }) => passed).length;
  const counts = { totalTests: results.length, passedTests, failedTests: results.length - passedTests };
  const passed = passedTests === results.length;
  return { suiteName: 'sums', results, overallScore: 1, passed, averageLatency: 1, ...counts, ...more };
}

const wrong = entry({ passed: false, state: 'fail', details: 'Expected 6, got 5' });

describe('a test of a suite', () => {
  it('passes when it passed each time', () => {
    expect(() => showTest([suite([wrong, entry()]), suite([wrong, entry()])], 1)).not.toThrow();
  });

  it.each<[string, ToolHealthResult[], string]>([
    ['failed', [suite([wrong])], 'Expected 6, got 5'],
    ['failed once of two times', [suite([entry()]), suite([wrong])], 'Expected 6, got 5'],
    [
      'could not be judged',
      [suite([entry({ passed: false, state: 'error', details: 'The server died', error: 'exit code 7' })])],
      'Could not be judged: The server died (exit code 7)',
    ],
    ['has no server', [suite([], { error: 'no such program' })], 'Could not be judged: no such program'],
    ['was not reached', [suite([])], 'Not run: the evaluation was stopped'],
    ['was not run', [], 'Not run: the evaluation was stopped'],
  ])('says why it fails: %s', (_name, suites, message) => {
    expect(() => showTest(suites, 0)).toThrow(message);
  });
});

describe('a suite as one test', () => {
  it('passes when all of it passed', () => {
    expect(() => showSuite([suite([entry()])])).not.toThrow();
  });

  it('names what failed in it', () => {
    expect(() => showSuite([suite([entry(), wrong])])).toThrow('1 of 2 tests passed\n  adds (add): Expected 6, got 5');
    expect(() => showSuite([suite([], { passed: false, error: 'no such program' })])).toThrow('no such program');
    expect(() => showSuite([])).toThrow('Not run: the evaluation was stopped');
  });
});

describe('a workflow', () => {
  const metric = { metric: 'Tool Call Health', passed: false, score: 0.5, details: '1 of 2 calls failed' };
  const good: WorkflowEvaluation = { workflowName: 'memory', results: [], overallScore: 1, passed: true };
  const failed = { ...good, results: [metric], overallScore: 0.5, passed: false };
  const blame = 'user' as const;
  const fault = { code: 'MODEL_NO_KEY' as const, blame, message: 'It is not available.', hint: 'Set a key.' };
  const withoutKey = { ...good, passed: false, overallScore: 0, fault };

  /** The reason for which a test is skipped, or undefined. */
  function skipReason(evaluations: readonly WorkflowEvaluation[]): string | undefined {
    let reason: string | undefined;
    const skip = (note?: string | boolean): never => {
      reason = String(note);
      throw new Error('skipped');
    };
    try {
      showWorkflow(evaluations, { skip: skip as never });
    } catch (error) {
      if (reason === undefined) throw error;
    }
    return reason;
  }

  it('passes when it passed each time', () => {
    expect(skipReason([good, good])).toBeUndefined();
  });

  it('is skipped when no model that should drive it has a key', () => {
    expect(skipReason([withoutKey])).toBe('It is not available. Set a key.');
  });

  it('says why it fails', () => {
    expect(() => skipReason([good, failed])).toThrow(
      'The overall score is 0.500\n  0.50  Tool Call Health: 1 of 2 calls failed',
    );
    expect(() => skipReason([good, withoutKey])).toThrow('Could not be judged: It is not available.');
    expect(() => skipReason([])).toThrow('Not run: the evaluation was stopped');
  });
});
