import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { onlyTrial, runTool, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { criteriaReply, judgedScenario, runJudged } from '../../src/testing/support/judged-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

describe('files of llm-tool-test', () => {
  it('refuses the gates of old with what to write instead', async () => {
    const gates = `
    - { type: min_notes, count: 3 }
    - SearchHit: { query: clocks }
    - doctor_passes
`;
    const folder = await toolProject({ scenario: toolScenario(gates), script: '' });
    const { exitCode, stdout, stderr } = await assay(['validate', 'scenario.yaml'], { cwd: folder });
    expect([exitCode, stdout]).toEqual([2, '']);
    for (const text of [
      'The gate min_notes was removed',
      '{ type: command_json_path, command: "my-tool list --format json", path: "$", assertion: "len >= 3" }',
      'command: "my-tool search clocks", substring: clocks',
      'type: command_succeeds, command: "my-tool doctor"',
    ])
      expect(stderr).toContain(text);
  });

  it('takes the agent and the budget from the environment', async () => {
    const config = `agent: scripted
agents: { scripted: { script: script.yaml }, other: { kind: scripted, script: other.yaml } }
`;
    const folder = await toolProject({
      scenario: toolScenario('[{ type: file_exists, path: done }]'),
      script: 'steps: [my-tool list]\n',
      files: { 'other.yaml': 'steps: [my-tool list, touch done]\n', 'assay.config.yaml': config },
    });
    const env = { LLM_TOOL_TEST_TOOL: 'other' };
    expect(onlyTrial(await runTool(folder, [], env))).toMatchObject({ outcome: 'pass', variant: { agent: 'other' } });
    expect(onlyTrial(await runTool(folder, ['--agent', 'scripted'], env))).toMatchObject({ outcome: 'fail' });

    const judged = {
      scenario: judgedScenario({ model: 'openai/gpt-4o-mini', successCriteria: 'The answer names Paris' }),
      rules: [{ reply: { json: criteriaReply('met') } }],
    };
    const refused = await runJudged({ ...judged, env: { LLM_TOOL_TEST_BUDGET_USD: '0.0000001' } });
    expect(refused).toMatchObject({ exitCode: 3, calls: 0, trial: { fault: { code: 'MODEL_BUDGET_REACHED' } } });
    const wrong = await runJudged({ ...judged, env: { LLM_TOOL_TEST_BUDGET_USD: 'little' } });
    expect(wrong).toMatchObject({ exitCode: 2, calls: 0, stderr: expect.stringContaining('not "little"') });
  });
});

/** An agent over HTTP that books a table at once. */
async function startAgent() {
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers);
    request.resume().on('end', () => response.end(JSON.stringify({ content: 'Booked: BK-12345' })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

describe('files of EvalStudio', () => {
  const scenarios = [
    { id: 's1', name: 'Booking', successCriteria: 'The table is booked', personaIds: ['p1', 'p2'], createdAt: 'x' },
    {
      id: 's2',
      name: 'Reference',
      messages: [{ role: 'user', content: 'A table, please' }],
      evaluators: [{ type: 'regex', config: { pattern: 'BK-\\d{5}' } }],
    },
    { id: 's3', name: 'In no eval', failureCriteria: 'Rude', connectorId: 'c1' },
  ];
  const personas = [
    { id: 'p1', name: 'Ada', description: 'in a hurry', headers: { 'x-user': 'ada' } },
    { id: 'p2', name: 'Bob', systemPrompt: 'You are Bob.', imageUrl: null },
  ];
  const words = { reason: 'She wants it.', message: 'A table, please', isDone: false };

  it('runs the data folder of EvalStudio: evals, personas with headers, criteria', async () => {
    const agent = await startAgent();
    const headers = { 'x-user': 'nobody', 'x-team': 'evals' };
    const connector = { id: 'c1', name: 'Prod', type: 'http', baseUrl: agent.url, headers };
    const data = 'projects/p/data';
    const folder = await temporaryFolder({
      [`${data}/scenarios.json`]: JSON.stringify(scenarios),
      [`${data}/personas.json`]: JSON.stringify(personas),
      [`${data}/connectors.json`]: JSON.stringify([connector]),
      [`${data}/evals.json`]: JSON.stringify([
        { id: 'e1', name: 'Nightly', scenarioIds: ['s1', 's2'], connectorId: 'c1' },
      ]),
      [`${data}/runs.json`]: '[]',
      [`${data}/executions.json`]: '[{ "id": 1, "evalId": "e1" }]',
      'assay.config.yaml': 'models: { judge: openai/judge, persona: openai/persona }\n',
    });
    await using model = await startScriptedModel({
      rules: [
        { when: { model: 'persona' }, reply: { json: words } },
        { reply: { json: criteriaReply('met', 'Booked: BK-12345', 'e2') } },
      ],
    });
    const env = { OPENAI_API_KEY: 'scripted', ...model.environment };
    const { stdout, stderr, exitCode } = await assay(
      ['run', data, '--tags', 'Nightly', '--json', '--no-cache', '--concurrency', '1'],
      { cwd: folder, env },
    );
    if (!stdout.startsWith('{')) throw new Error(stderr);
    const trials: { scenario: string; outcome: string; variant: object; evaluatorResults: object[] }[] =
      JSON.parse(stdout).trials;
    expect(trials.map(({ scenario, variant, outcome }) => [scenario, variant, outcome])).toEqual([
      ['Booking', { connector: 'Prod', persona: 'Ada' }, 'pass'],
      ['Booking', { connector: 'Prod', persona: 'Bob' }, 'pass'],
      ['Reference', { connector: 'Prod' }, 'pass'],
    ]);
    expect(trials[0]?.evaluatorResults).toMatchObject([
      { type: 'llm-judge', kind: 'assertion', success: true, value: 1, reason: expect.any(String) },
    ]);
    expect(agent.requests.map((sent) => [sent['x-user'], sent['x-team']])).toEqual([
      ['ada', 'evals'],
      ['nobody', 'evals'],
      ['nobody', 'evals'],
    ]);
    expect(exitCode).toBe(0);
  });

  it('plays one scenario without an eval, against the connectors of the command line', async () => {
    const [prod, staging] = [await startAgent(), await startAgent()];
    const connectors = {
      prod: { type: 'http', baseUrl: prod.url },
      staging: { type: 'http', baseUrl: staging.url },
    };
    const folder = await temporaryFolder({
      'scenarios.json': JSON.stringify(scenarios.slice(1, 2)),
      'assay.config.yaml': JSON.stringify({ connectors }),
    });
    const play = async (...flags: string[]) => {
      const { stdout, stderr, exitCode } = await assay(['run', 'scenarios.json', '--json', ...flags], { cwd: folder });
      const trials: { outcome: string; variant: object }[] = stdout === '' ? [] : JSON.parse(stdout).trials;
      return { stderr, exitCode, trials: trials.map(({ outcome, variant }) => ({ outcome, ...variant })) };
    };
    expect(await play('--connector', 'staging')).toMatchObject({ trials: [{ outcome: 'pass', connector: 'staging' }] });
    expect([prod.requests.length, staging.requests.length]).toEqual([0, 1]);
    expect((await play('--connector', 'prod,staging')).trials).toHaveLength(2);
    await play('--connector', 'staging', '--connector-url', prod.url);
    expect([prod.requests.length, staging.requests.length]).toEqual([2, 2]);
    const unknown = await play('--connector', 'stagin');
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean `staging`?') });
  });
});

describe('a table of prompts, models and cases', () => {
  it('runs every model with every row of a CSV file', async () => {
    const scenario = {
      name: 'Capitals',
      connector: { type: 'model', config: { instructions: 'Answer with one word.' } },
      models: ['openai/one', 'openai/two'],
      dataset: 'capitals.csv',
      userMessages: ['What is the capital of {{country}}?'],
      evaluators: [
        { type: 'contains', config: { text: '{{city}}' } },
        { type: 'cost-budget', config: { maxUsd: 0.01 } },
      ],
    };
    const price = { inputPer1M: 1, outputPer1M: 1 };
    const folder = await temporaryFolder({
      's.json': JSON.stringify(scenario),
      'capitals.csv': 'country,city\nFrance,Paris\nItaly,Rome\n',
      'assay.config.yaml': JSON.stringify({ models: { prices: { 'openai/one': price, 'openai/two': price } } }),
    });
    await using model = await startScriptedModel({
      rules: [
        { when: { last: 'France' }, reply: 'Paris' },
        { when: { model: 'two' }, reply: 'Milan' },
        { reply: 'Rome' },
      ],
    });
    const env = { OPENAI_API_KEY: 'scripted', ...model.environment };
    const { stdout, stderr, exitCode } = await assay(['run', 's.json', '--json'], { cwd: folder, env });
    if (!stdout.startsWith('{')) throw new Error(stderr);
    const trials: { outcome: string; variant: { model: string } }[] = JSON.parse(stdout).trials;
    expect(trials.map(({ variant, outcome }) => `${variant.model} ${outcome}`).sort()).toEqual([
      'openai/one pass',
      'openai/one pass',
      'openai/two fail',
      'openai/two pass',
    ]);
    expect(exitCode).toBe(1);
  });
});

describe('inputs of the boolean judge protocol', () => {
  it('evaluates every kind of criterion of the judge protocol', async () => {
    const preview = [{ row: 0, col: 29, old: 'Medium', new: 'High' }];
    const actualResult = { dryRun: true, affectedRows: 13, changedCells: 10, executionTime: 762, preview };
    const met = [
      'result.dryRun === true',
      'result.committed === undefined',
      'result.newStorageId !== null',
      'result.affectedRows > 0',
      'result.changedCells >= 1',
      'result.executionTime < 5000',
      'result.executionTime <= 762',
      "result.message.includes('DRY RUN')",
      'result.message.startsWith("DRY")',
      'result.preview.length > 0',
      'result.preview.every(p => p.row >= 0)',
      'result.preview.some(p => p.old !== p.new)',
      "typeof result.affectedRows === 'number'",
      'Array.isArray(result.preview)',
      'result.dryRun === true || result.dryRun === false',
      'result.dryRun === true && result.committed === undefined',
    ];
    const unmet = [
      'result.newStorageId !== undefined',
      "result.message === 'Expected message'",
      "result.message.startsWith('Error:')",
      "result.error.message.includes('not found')",
      'result.error !== undefined || result.result !== undefined',
    ];
    const input = {
      testScenario: { name: 'Kinds', input: {}, expectedBehavior: 'previews' },
      actualResult: { ...actualResult, message: 'DRY RUN: Would update 10 cells' },
      passCriteria: met,
      failCriteria: unmet,
    };
    const passed = await assay(['judge', '-'], { cwd: '.', stdin: JSON.stringify(input) });
    expect(JSON.parse(passed.stdout)).toMatchObject({
      verdict: 'PASS',
      passCriteriaEvaluation: { total: met.length, passed: met.length },
      failCriteriaEvaluation: { total: unmet.length, triggered: 0 },
      summary: { confidence: 'HIGH' },
    });
    expect(passed.exitCode).toBe(0);
    const swapped = { ...input, passCriteria: unmet, failCriteria: met };
    const failed = await assay(['judge', '-'], { cwd: '.', stdin: JSON.stringify(swapped) });
    expect(JSON.parse(failed.stdout)).toMatchObject({
      verdict: 'FAIL',
      passCriteriaEvaluation: { passed: 0 },
      failCriteriaEvaluation: { avoided: 0 },
    });
    expect(failed.exitCode).toBe(1);
  });
});
