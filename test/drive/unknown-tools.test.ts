import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { driven, mcpProject, server, trialsIn } from '../../src/testing/support/mcp-project.ts';

const env = { OPENAI_API_KEY: 'any' };

/** The only trial of a suite with one test. */
async function judged(test: object) {
  const suite = { server, toolHealthSuites: [{ name: 'suite', tests: [test] }] };
  const folder = await mcpProject({ 'suite.json': suite });
  const result = await assay(['run', 'suite.json', '--json', '--no-cache'], { cwd: folder });
  const [trial] = trialsIn(result);
  return { exitCode: result.exitCode, outcome: trial?.outcome, code: trial?.fault?.code, reason: trial?.reason };
}

describe('a suite that names a tool which the server does not have', () => {
  it.each([
    ['a typing mistake', { name: 'ad', args: {} }, 'No tool is called `ad`.'],
    ['another case', { name: 'Add', args: {} }, 'No tool is called `Add`, but one is called `add`.'],
    ['an error that is expected of another', { name: 'ADD', args: {}, expectedError: 'Unknown' }, 'called `add`'],
    ['another error than that', { name: 'delete', args: {}, expectedError: 'not allowed' }, 'called `delete`'],
  ])('is an error, not a failure of the server: %s', async (_about, test, reason) => {
    const { exitCode, outcome, code, reason: given } = await judged(test);
    expect([exitCode, outcome, code]).toEqual([2, 'error', 'CRITERION_UNUSABLE']);
    expect(given).toContain(reason);
  });

  it('may test that the server refuses it', async () => {
    expect(await judged({ name: 'nothing-like-it', args: {}, expectedError: 'Unknown tool' })).toMatchObject({
      exitCode: 0,
      outcome: 'pass',
    });
  });
});

describe('a workflow that expects a tool which the server does not have', () => {
  it('is an error, not a failure of the model', async () => {
    const workflows = [{ name: 'w', steps: [{ user: 'Add 1 and 2', expectTools: ['Add'] }] }];
    const folder = await mcpProject({ 'w.json': { server, workflows, model: 'openai/any' } });
    const result = await driven({ folder, args: ['run', '--json', '--no-cache'], rules: [{ reply: '3' }], env });
    const [trial] = trialsIn(result);
    expect([result.exitCode, trial?.outcome, trial?.fault?.code]).toEqual([2, 'error', 'CRITERION_UNUSABLE']);
    expect(trial?.reason).toContain('No tool is called `Add`, but one is called `add`.');
  });

  it('is a problem of the file where the file declares all tools', async () => {
    const mock = { transport: 'mock', tools: { add: { answers: { result: 3 } } } };
    const evaluators = [{ type: 'tool-not-called', config: { tool: 'delete_all' } }];
    const workflows = [{ name: 'w', steps: [{ user: 'Add 1 and 2' }], evaluators }];
    const folder = await mcpProject({ 'w.json': { server: mock, workflows, model: 'openai/any' } });
    const refused = await assay(['validate', 'w.json'], { cwd: folder });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('No tool is called `delete_all`.\n    Known: `add`.');
  });
});
