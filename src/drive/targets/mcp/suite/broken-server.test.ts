import { describe, expect, it } from 'vitest';
import { runSuite, suiteServer } from '../../../../testing/support/suite-run.ts';

const sum = { name: 'add', args: { a: 2, b: 3 } };

describe('a server that breaks', () => {
  it('makes the test an error, is started again, and the suite goes on', async () => {
    const { record, entries } = await runSuite({
      tests: [sum, { name: 'crash', args: {}, description: 'falls over' }, { ...sum, expectedResult: 5 }],
    });
    expect(entries.map(({ state }) => state)).toEqual(['pass', 'error', 'pass']);
    expect(entries[1]).toMatchObject({ passed: false, score: 0, error: expect.stringContaining('I am done for') });
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'MCP_SERVER_DIED', blame: 'target' } });
    expect(record.reason).toMatch(/^tool-health: 1 of 3 tests could not be judged: /);
  });

  it('does not hide what failed before', async () => {
    const { record } = await runSuite({
      tests: [
        { ...sum, expectedResult: 6 },
        { name: 'crash', args: {} },
      ],
    });
    expect(record).toMatchObject({ outcome: 'fail' });
    expect(record.reason).toMatch(/^1 of 2 tests failed, 1 could not be judged: /);
  });

  it('is started again for a retry', async () => {
    const { entries } = await runSuite({ tests: [{ name: 'crash', args: {}, retries: 1 }, sum] });
    expect(entries.map(({ state, retryCount }) => [state, retryCount])).toEqual([
      ['error', 1],
      ['pass', 0],
    ]);
  });

  it('is not started again for ever', async () => {
    const tests = [...Array.from({ length: 5 }, () => ({ name: 'crash', args: {} })), sum];
    const { entries, record } = await runSuite({ tests });
    expect(entries.map(({ state }) => state)).toEqual(Array(6).fill('error'));
    expect(entries[5]?.details).toMatch(
      /^Could not be judged: Not run, because the server failed again after 3 times: /,
    );
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'MCP_SERVER_DIED' } });
  });

  it('in the midst of a parallel suite spoils only what was under way', async () => {
    const tests = [
      ...Array.from({ length: 20 }, () => sum),
      { name: 'crash', args: {} },
      ...Array.from({ length: 20 }, () => sum),
    ];
    const { entries } = await runSuite({ parallel: true, tests });
    expect(entries[20]?.state).toBe('error');
    expect(entries.every(({ state }) => state !== 'fail')).toBe(true);
    expect(entries.at(-1)?.state).toBe('pass');
  });

  it('or does not start, makes every test an error that names it', async () => {
    const { record, entries } = await runSuite({ tests: [sum, sum] }, { server: suiteServer('dead') });
    expect(entries.map(({ state, retryCount }) => [state, retryCount])).toEqual([
      ['error', 0],
      ['error', 0],
    ]);
    expect(record).toMatchObject({ outcome: 'error', fault: { blame: 'target' } });
    expect(record.fault?.message).toContain('suite-server.mjs dead');
    const { record: empty } = await runSuite({ tests: [] }, { server: suiteServer('dead') });
    expect(empty.outcome).toBe('error');
  });

  it('and never answers ends with the time of the suite', async () => {
    const tests = [sum, { name: 'wait', args: {} }];
    const { record } = await runSuite({ tests }, { timeoutMs: 60_000, limitMs: 3_000 });
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'TARGET_TIMEOUT' } });
  });

  it('and changes a tool on the way spoils the tests of that tool only', async () => {
    const tests = [sum, { name: 'change', args: { tool: 'add' } }, { name: 'echo', args: { value: 'x' } }];
    const { record, entries } = await runSuite({ tests });
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'MCP_TOOLS_CHANGED', blame: 'target' } });
    expect(record.reason).toContain('The definition of "add" changed during the run.');
    expect(entries.map(({ state }) => state)).toEqual(['error', 'pass', 'pass']);
    const { record: unrelated } = await runSuite({ tests: tests.slice(1) });
    expect(unrelated.outcome).toBe('pass');
  });

  it('and announces the change of a tool spoils nothing, unless such changes are refused', async () => {
    const tests = [sum, { name: 'change', args: { tool: 'add', announced: true } }];
    const { record, notices } = await runSuite({ tests });
    expect(record.outcome).toBe('pass');
    expect(notices).toContain(
      'The tools of the server changed during the run: "add" has another description (announced)',
    );
    const refused = await runSuite({ tests }, { server: { ...suiteServer(), toolChanges: 'refuse' } });
    expect(refused.record.fault).toMatchObject({ code: 'MCP_TOOLS_CHANGED' });
    expect(refused.entries.map(({ state }) => state)).toEqual(['error', 'pass']);
  });

  it('and adds a tool on the way spoils nothing, and says so', async () => {
    const { record, notices } = await runSuite({ tests: [sum, { name: 'change', args: {} }] });
    expect(record.outcome).toBe('pass');
    expect(notices).toContain('The tools of the server changed during the run: "late" was added');
  });
});
