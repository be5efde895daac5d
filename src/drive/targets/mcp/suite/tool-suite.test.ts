import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../../../domain/trace.ts';
import { runSuite } from '../../../../testing/support/suite-run.ts';

const sum = { name: 'add', args: { a: 2, b: 3 } };

describe('a suite of tool tests', () => {
  it('calls each tool, and compares with what the results mean', async () => {
    const { record, lines, trace } = await runSuite({
      tests: [
        { ...sum, expectedResult: 5, description: 'adds' },
        { ...sum, expectedResult: '5' },
        { ...sum, expectedResult: 6 },
        { name: 'echo', args: { value: 'Hello World' }, expectedResult: 'WORLD' },
        { name: 'echo', args: { value: { a: 1, b: [2] } }, expectedResult: { b: [2] }, match: 'subset' },
        { name: 'echo', args: { value: { a: 1, b: [2] } }, expectedResult: { b: [2] } },
        { name: 'structured', args: {}, expectedResult: { sum: 5 } },
      ],
    });
    expect(lines).toEqual([
      'pass: Answered as expected in N ms: 5',
      'pass: Answered as expected in N ms: 5',
      'fail: Expected 6, got 5 (N ms)',
      'pass: Answered as expected in N ms: "Hello World"',
      'pass: Answered as expected in N ms: {"a":1,"b":[2]}',
      'fail: $.a was not expected, and is 1 (N ms)',
      'pass: Answered as expected in N ms: {"sum":5}',
    ]);
    expect(record).toMatchObject({ outcome: 'fail', fault: null });
    expect(record.reason).toMatch(/^2 of 7 tests failed: "add test": Expected 6, got 5/);
    expect(record.evaluatorResults).toMatchObject([{ type: 'tool-health', state: 'fail', value: 5 / 7 }]);
    expect(record.toolPins?.add).toMatch(/^[0-9a-f]{64}$/);
    expect(record.toolHealth[0]).toMatchObject({
      testName: 'adds',
      toolName: 'add',
      kind: 'tool',
      score: 1,
      retryCount: 0,
    });
    expect(record.toolHealth[2]?.metadata).toMatchObject({ difference: { path: '$', expected: '6', actual: '5' } });
    expect(trace.slice(0, 1).map(({ type }) => type)).toEqual(['mcp-server']);
    expect(eventsOf(trace, 'tool-call').map(({ callId }) => callId)).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((index) => `test-${index}-1`),
    );
    expect(eventsOf(trace, 'mcp-test').map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('takes what says that it failed for a failure, unless that is expected', async () => {
    const { lines } = await runSuite({
      tests: [
        { name: 'fail', args: {} },
        { name: 'fail', args: {}, expectedError: 'NO SUCH FILE' },
        { name: 'fail', args: {}, expectedError: 'permission' },
        { name: 'refuse', args: {} },
        { name: 'refuse', args: {}, expectedError: 'invalid arguments' },
        { ...sum, expectedError: 'overflow' },
      ],
    });
    expect(lines).toEqual([
      'fail: The call failed: It broke: no such file (N ms)',
      'pass: Failed as expected: It broke: no such file (N ms)',
      'fail: Expected an error that contains "permission", got: It broke: no such file (N ms)',
      'fail: The call failed: Invalid arguments for tool refuse (error -32602) (N ms)',
      'pass: Failed as expected: Invalid arguments for tool refuse (error -32602) (N ms)',
      'fail: Expected an error that contains "overflow", but the call succeeded with 5 (N ms)',
    ]);
  });

  it('checks time before results, results before errors, and what the tool promises last', async () => {
    const { lines } = await runSuite({
      tests: [
        { ...sum, maxLatency: 0, expectedResult: 6, expectedError: 'x' },
        { ...sum, maxLatency: 60_000, expectedResult: 6, expectedError: 'x' },
        { ...sum, expectedResult: 5, expectedError: 'x' },
        { name: 'wrong-output', args: {}, expectedResult: { sum: 'six' } },
        { name: 'wrong-output', args: {}, expectedResult: { sum: 'five' } },
        { name: 'no-output', args: {}, expectedResult: { sum: 5 } },
        { name: 'odd-schema', args: {} },
      ],
    });
    expect(lines).toEqual([
      'fail: Took N ms, the limit is N ms',
      'fail: Expected 6, got 5 (N ms)',
      'fail: Expected an error that contains "x", but the call succeeded with 5 (N ms)',
      'fail: $.sum: expected "six", got "five" (N ms)',
      expect.stringMatching(/^fail: The structuredContent is not valid against the tool's `outputSchema`: \$\.sum/),
      'fail: The tool declares an `outputSchema`, and the result has no structuredContent (N ms)',
      expect.stringMatching(/^pass: The call succeeded in N ms: \{"sum":1\}; its `outputSchema` cannot be checked: /),
    ]);
  });

  it('tries again what failed, and never what is merely wrong', async () => {
    const { lines, entries, trace } = await runSuite({
      tests: [
        { name: 'flaky', args: { failures: 2 }, retries: 5, expectedResult: 'at last' },
        { name: 'fail', args: {}, retries: 2 },
        { name: 'fail', args: {}, retries: 2, expectedError: 'broke' },
        { ...sum, retries: 3, expectedResult: 6 },
        { ...sum, retries: 3, maxLatency: 0 },
      ],
    });
    expect(entries.map(({ retryCount }) => retryCount)).toEqual([2, 2, 0, 0, 0]);
    expect(lines[0]).toBe('pass: Answered as expected in N ms, 3 attempts in N ms: "at last"');
    expect(lines[1]).toBe('fail: The call failed: It broke: no such file (N ms, 3 attempts in N ms)');
    const [first] = entries;
    expect(first?.totalLatency).toBeGreaterThan(first?.latency ?? Number.NaN);
    const calls = eventsOf(trace, 'tool-call').map(({ callId }) => callId);
    expect(new Set(calls).size).toBe(calls.length);
    expect(calls.slice(0, 3)).toEqual(['test-1-1', 'test-1-2', 'test-1-3']);
  });

  it('cancels a call that takes too long, and goes on', async () => {
    const { lines, trace, record } = await runSuite({
      timeout: 1_000,
      tests: [
        { name: 'wait', args: {} },
        { name: 'wait', args: {}, expectedError: 'timeout' },
        { name: 'cancelled', args: {}, expectedResult: 2 },
      ],
    });
    expect(lines).toEqual([
      'fail: The call failed: Tool call timeout: no answer within N ms (N ms)',
      'fail: Expected an error that contains "timeout", and the server did not answer: Tool call timeout: no answer within N ms',
      'pass: Answered as expected in N ms: 2',
    ]);
    expect(eventsOf(trace, 'mcp-test').map(({ timedOut }) => timedOut)).toEqual([true, true, false]);
    expect(record.outcome).toBe('fail');
  });

  it('does the tests of a parallel suite at the same time, and reports them in order', async () => {
    const tests = Array.from({ length: 16 }, () => ({ name: 'meet', args: { count: 16 }, expectedResult: 'met' }));
    const { record } = await runSuite({ parallel: true, tests });
    expect(record).toMatchObject({ outcome: 'pass' });
    expect(record.toolHealth).toHaveLength(16);
  });

  it('has nothing against a suite without tests', async () => {
    const { record } = await runSuite({ tests: [] });
    expect(record).toMatchObject({ outcome: 'pass', toolHealth: [] });
    expect(record.evaluatorResults).toMatchObject([{ value: 1 }]);
  });
});

describe('coverage', () => {
  it('reports tools and arguments that no test uses, and missing tools', async () => {
    const { lines, notices, entries, record } = await runSuite({
      tests: [sum, { name: 'ech', args: {} }, { name: 'nothing-like-it', args: {}, expectedError: 'not found' }],
    });
    expect(lines[1]).toBe('error: Could not be judged: No tool is called `ech`.');
    expect(lines[2]).toMatch(/^pass: Failed as expected: .* The server does not list "nothing-like-it"\.$/);
    expect(notices).toEqual([
      'The server has no tool "ech", which a test calls. Did you mean `echo`?',
      'The server has no tool "nothing-like-it", which a test calls.',
      expect.stringMatching(/^No test calls 16 of 17 tools: `echo`, .*`ask-user`\.$/),
      'No test gives these arguments: `add.precision`.',
    ]);
    expect(entries[0]?.metadata).toMatchObject({
      coverage: { toolCount: 17, coveredCount: 1, uncoveredArguments: { add: ['precision'] } },
    });
    expect(record.outcome).toBe('error');
  });

  it('counts the tools that other suites of the file use, and is reported by one of them', async () => {
    const coveredElsewhere = [{ tool: 'add', args: ['precision'] }];
    const { notices } = await runSuite({ tests: [sum] }, { input: { coveredElsewhere } });
    expect(notices.join()).not.toContain('add.precision');
    const { notices: quiet, entries } = await runSuite({ tests: [sum] }, { input: { reportsCoverage: false } });
    expect(quiet).toEqual([]);
    expect(entries[0]?.metadata).toBeUndefined();
  });
});
