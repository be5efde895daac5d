import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EvaluationReport, evaluate } from '../../src/entry/index.ts';
import { mcpProject, server } from '../../src/testing/support/mcp-project.ts';
import { scripted } from '../../src/testing/support/models.ts';

const sample = fileURLToPath(new URL('../../src/testing/support/mcp-server.mjs', import.meta.url));
const add = { name: 'add', args: { a: 2, b: 3 }, expectedResult: 5 };
const suite = { name: 'Calculator', description: 'It adds', tests: [add, { ...add, expectedResult: 6 }] };
const workflow = { name: 'Sum', steps: [{ user: 'Please add 2 and 3', expectTools: ['add'], expectedState: 'five' }] };
const config = { server: { ...server, args: [sample] }, toolHealthSuites: [suite] };

async function withModel(): Promise<void> {
  const model = await scripted({
    rules: [
      { when: { toolResult: '5' }, reply: 'It is five.' },
      { when: { last: 'Please add' }, toolCalls: [{ name: 'add', input: { a: 2, b: 3 } }] },
      { reply: { json: { reasoning: 'r', evidence: [], score: 0.4, reason: 'It was curt.' } } },
    ],
  });
  for (const [name, value] of Object.entries({ ...model.environment, ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe('evaluate', () => {
  it('reports every test of a suite', async () => {
    const report: EvaluationReport = await evaluate(config);
    expect(report).toMatchObject({ passed: false, evaluations: [], timestamp: expect.any(Date) });
    expect(report.toolHealthResults).toEqual([
      {
        suiteName: 'Calculator',
        description: 'It adds',
        overallScore: 0.5,
        passed: false,
        totalTests: 2,
        passedTests: 1,
        failedTests: 1,
        averageLatency: expect.any(Number),
        results: [
          expect.objectContaining({ testName: 'add test', toolName: 'add', passed: true, score: 1, retryCount: 0 }),
          expect.objectContaining({ passed: false, score: 0, details: expect.any(String) }),
        ],
      },
    ]);
  });

  it('takes the path of a config, in any language', async () => {
    const text = JSON.stringify({ server, toolHealthSuites: [{ name: 'a', tests: [add] }] });
    const folder = await mcpProject({ 'c.json': text, 'c.mjs': `export default () => (${text});` });
    for (const file of ['c.json', 'c.mjs']) expect((await evaluate(join(folder, file))).passed).toBe(true);
  });

  it('reports workflows, driven by the model of the options and judged when that is wanted', async () => {
    await withModel();
    const both = { ...config, workflows: [workflow] };
    const plain = await evaluate(both, { workflowsOnly: true, model: 'openai/gpt-4o' });
    expect(plain).toMatchObject({ passed: true, toolHealthResults: [] });
    expect(plain.evaluations).toMatchObject([{ workflowName: 'Sum', overallScore: 1, passed: true }]);
    expect(plain.evaluations[0]?.results.map(({ metric }) => metric)).toHaveLength(3);
    const judged = await evaluate(both, { workflowsOnly: true, llmJudge: true });
    expect(judged.evaluations[0]).toMatchObject({ passed: false, overallScore: 3.4 / 4 });
    expect(judged.evaluations[0]?.results.at(-1)).toMatchObject({
      metric: 'LLM Judge',
      passed: false,
      details: 'Score: 0.40/0.80 - It was curt.',
    });
  });

  it('passes when there is nothing of what is wanted', async () => {
    expect(await evaluate(config, { workflowsOnly: true })).toMatchObject({ passed: true, evaluations: [] });
  });

  it('says why a server could not be judged', async () => {
    const gone = { server: { ...server, args: ['-e', 'process.exit(3)'] }, toolHealthSuites: [suite] };
    const { passed, toolHealthResults } = await evaluate(gone);
    expect(passed).toBe(false);
    expect(toolHealthResults[0]).toMatchObject({
      passed: false,
      totalTests: 2,
      passedTests: 0,
      error: expect.any(String),
    });
  });

  it('keeps secrets out of the report', async () => {
    const secret = 'walnut-teapot-4711-xyz';
    const env = { API_KEY: secret, MODE: 'loud', OTHER_TOKEN: '${OTHER}' };
    const settings = { name: 'settings', args: {}, expectedResult: 'mode=quiet' };
    const report = await evaluate({
      server: { ...config.server, env },
      toolHealthSuites: [{ name: 'Settings', tests: [settings] }],
      openaiKey: secret,
    });
    expect(JSON.stringify(report)).not.toContain(secret);
    expect(JSON.stringify(report)).toContain('mode=loud');
    expect(report.config.server).toMatchObject({ env: { MODE: 'loud', OTHER_TOKEN: '${OTHER}' } });
    expect(report.config.openaiKey).toBeUndefined();
  });

  it('refuses a config that is wrong, with the place', async () => {
    await expect(evaluate({ server: config.server, toolHealthSuites: [{ name: 'a' }] })).rejects.toThrow(
      'config:10:5: `toolHealthSuites[0].tests` is missing',
    );
    await expect(evaluate('/nowhere/c.json')).rejects.toThrow('the file does not exist');
  });
});
