import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
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

  it('runs a file as it is found in the wild, judged at its threshold by the model under test', async () => {
    const scenario = `name: Wild
description: Old spellings
target: { binary: my-tool }
task: Create an item.
gates:
  - { type: FileExists, path: done, description: the work was done }
evaluation:
  judge: { enabled: true, rubric: rubric.yaml, pass_threshold: 0.7 }
  composite: {}
`;
    const scores = { done: 0.7, quick: 0.7 };
    const answer = { scores, weighted_score: 0.9, confidence: 0.8, issues: ['slow'], highlights: ['short'] };
    const folder = await toolProject({
      scenario,
      script: 'steps: [my-tool list, touch done]\n',
      files: {
        'scenario/README.md': '# The template is named like the file\n',
        'rubric.yaml':
          'criteria: [{ id: done, weight: 0.6, description: Done }, { id: quick, weight: 0.4, description: Quick }]\n',
      },
    });
    await using model = await startScriptedModel({ rules: [{ reply: { json: answer } }] });
    const env = { OPENAI_API_KEY: 'any-key-will-do', LLM_TOOL_TEST_JUDGE: 'gpt-4o-mini', ...model.environment };
    const run = await runTool(folder, ['--model', 'gpt-4o-mini'], env);
    const trial = onlyTrial(run);
    const warnings = [
      expect.stringContaining('model under test'),
      expect.stringContaining('differs from the recomputed'),
    ];
    expect(trial).toMatchObject({
      outcome: 'pass',
      gates: [{ passed: true }],
      judge: {
        state: 'pass',
        score: expect.closeTo(0.7),
        threshold: 0.7,
        response: { ...answer, weighted_score: expect.closeTo(0.7), model_weighted_score: 0.9 },
        warnings: expect.arrayContaining(warnings),
      },
    });
    const kept = join(folder, '.assay/artifacts', trial.artifacts ?? '');
    expect(await readFile(join(kept, 'evaluation.md'), 'utf8')).toContain('0.70 (Good');
    expect(await readFile(join(kept, 'fixture/README.md'), 'utf8')).toContain('named like the file');
  });

  it('imports results and events as the older program wrote them', async () => {
    const result = (scenario_id: string, outcome: string) =>
      JSON.stringify({ scenario_id, tool: 'opencode', model: 'm', outcome, timestamp: '2026-01-01T00:00:00Z' });
    const older = { type: 'execution', tool: 'opencode', output: 'my-tool list\nExit code: 4\n', exit_code: 1 };
    const spec = [
      { ts: 1, event: 'spawn', command: 'opencode', args: [] },
      { ts: 2, event: 'tool_call', tool: 'bash', command: 'my-tool list' },
      { ts: 3, event: 'tool_result', output: '[]', exit_code: 0 },
      { ts: 4, event: 'complete', exit_code: 0, duration_secs: 3 },
    ];
    const cwd = await temporaryFolder({
      'results.jsonl': `${result('a', 'Pass')}\n${result('b', 'Fail: 1/2 gates passed')}\n`,
      'older/events.jsonl': `${JSON.stringify(older)}\nnot JSON\n`,
      'spec/events.jsonl': spec.map((event) => `${JSON.stringify(event)}\n`).join(''),
    });
    const imported = async (path: string) => {
      const { stdout, stderr } = await assay(['import', path, '--json'], { cwd });
      if (!stdout.startsWith('{')) throw new Error(stderr);
      const { runId, totals } = JSON.parse(stdout);
      const { trials } = JSON.parse((await assay(['show', runId, '--json'], { cwd })).stdout);
      return { totals, trialId: trials[0].trialId };
    };
    expect((await imported('results.jsonl')).totals).toMatchObject({ planned: 2, pass: 1, fail: 1 });
    const traceOf = async (path: string) => {
      const { trialId, totals } = await imported(path);
      expect(totals).toMatchObject({ planned: 1, pass: 0, fail: 0 });
      const { trace } = JSON.parse((await assay(['show', trialId, '--json'], { cwd })).stdout);
      return trace.filter(({ seenBy }: { seenBy: string }) => seenBy === 'agent');
    };
    expect(await traceOf('older')).toMatchObject([
      { type: 'output', text: older.output },
      { type: 'agent-ended', exitCode: 1, completed: false },
    ]);
    expect(await traceOf('spec')).toMatchObject([
      { type: 'other', kind: 'spawn' },
      { type: 'tool-call', input: { command: 'my-tool list' } },
      { type: 'tool-result', exitCode: 0 },
      { type: 'agent-ended', exitCode: 0, completed: true },
    ]);
  });
});

interface EvalTrial {
  readonly scenario: string;
  readonly outcome: string;
  readonly variant: object;
  readonly evaluatorResults: readonly object[];
}

/** An agent over HTTP that books a table at once, unless it has another answer. */
async function startAgent(answer: object = { content: 'Booked: BK-12345' }) {
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers);
    request.resume().on('end', () => response.end(JSON.stringify(answer)));
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
      'projects/p/assay.config.yaml': 'models: { judge: openai/judge, persona: openai/persona }\n',
    });
    await using model = await startScriptedModel({
      rules: [
        { when: { model: 'persona' }, reply: { json: words } },
        { reply: { json: criteriaReply('met', 'Booked: BK-12345', 'e2') } },
      ],
    });
    const env = { OPENAI_API_KEY: 'any-key-will-do', ...model.environment };
    const { stdout, stderr, exitCode } = await assay(
      ['run', 'data', '--eval', 'Nightly', '--json', '--no-cache', '--concurrency', '1'],
      { cwd: join(folder, 'projects/p'), env },
    );
    if (!stdout.startsWith('{')) throw new Error(stderr);
    const { trials }: { trials: EvalTrial[] } = JSON.parse(stdout);
    expect(trials.map(({ scenario, variant, outcome }) => [scenario, variant, outcome])).toEqual([
      ['Booking', { connector: 'Prod', persona: 'Ada' }, 'pass'],
      ['Booking', { connector: 'Prod', persona: 'Bob' }, 'pass'],
      ['Reference', { connector: 'Prod' }, 'pass'],
    ]);
    expect(trials[0]?.evaluatorResults).toMatchObject([
      { type: 'llm-judge', kind: 'assertion', success: true, value: 1, reason: expect.any(String) },
    ]);
    // Personas come in an order by chance.
    expect(agent.requests.map((sent) => [sent['x-user'], sent['x-team']]).sort()).toEqual([
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

describe('conversations of EvalStudio', () => {
  it('reads scenarios with instructions only, and measures calls and tokens of each conversation', async () => {
    const talk = {
      instructions: 'You want to book a train.',
      messages: [{ role: 'user', content: 'Hello' }],
      connector: { type: 'command', config: { command: 'echo' } },
    };
    const judged = { ...talk, name: 'judged', evaluators: [{ type: 'contains', config: { text: 'Hello' } }] };
    const cwd = await temporaryFolder({
      'evalstudio.config.json': '{ "version": 3, "name": "desk", "projects": [] }',
      'only.json': JSON.stringify({ ...talk, name: 'only' }),
      'judged.json': JSON.stringify(judged),
    });
    const { stdout, stderr } = await assay(['run', 'only.json', 'judged.json', '--json'], { cwd });
    const trials = JSON.parse(stdout).trials as { scenario: string; evaluatorResults: { type: string }[] }[];
    // Metrics are not a verdict: nothing was asserted.
    expect(
      trials.find(({ scenario }) => scenario === 'only'),
      stderr,
    ).toMatchObject({ outcome: 'error', fault: { code: 'NOTHING_ASSERTED' } });
    expect(trials.find(({ scenario }) => scenario === 'judged')).toMatchObject({ outcome: 'pass' });
    for (const { evaluatorResults } of trials)
      expect(evaluatorResults.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['tool-call-count', 'token-usage']),
      );
  });

  it('judges failure criteria by their mode, and ends at the most messages', async () => {
    const agent = await startAgent({ content: 'Go away' });
    const verdict = criteriaReply('met', 'Go away', 'e2');
    const rude = { ...verdict, criteria: verdict.criteria.map((each) => ({ ...each, id: 'failure-1' })) };
    await using model = await startScriptedModel({ rules: [{ reply: { json: rude } }] });
    const env = { OPENAI_API_KEY: 'any-key-will-do', LLM_TOOL_TEST_JUDGE: 'openai/judge', ...model.environment };
    const turnsOf = async (failureCriteriaMode: string) => {
      const scenario = {
        name: 'Rude',
        connector: agent.url,
        userMessages: ['Hello', 'Please'],
        maxMessages: 4,
        failureCriteria: 'The agent is rude',
        failureCriteriaMode,
      };
      const cwd = await temporaryFolder({ 's.json': JSON.stringify(scenario) });
      const { stdout } = await assay(['run', 's.json', '--json', '--no-cache'], { cwd, env });
      const [trial] = JSON.parse(stdout).trials;
      const turns = trial.evaluatorResults.map(({ turn }: { turn: number }) => turn);
      return { outcome: trial.outcome, turns: Math.max(...turns) };
    };
    expect(await turnsOf('every_turn')).toEqual({ outcome: 'fail', turns: 1 });
    expect(await turnsOf('on_max_messages')).toEqual({ outcome: 'fail', turns: 2 });
  });

  it('reads calls and tokens in the shape of OpenAI, after a seed that the agent ends', async () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
    const message = { role: 'assistant', content: '{"ref":"BK-1"}', tool_calls: [call('1'), call('2')] };
    const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
    const agent = await startAgent({ choices: [{ message }], usage });
    const scenario = {
      name: 'Calls',
      connector: agent.url,
      messages: [{ role: 'assistant', content: 'Welcome!' }],
      userMessages: ['A table'],
      evaluators: [
        { type: 'tool-call-budget', config: { maxCalls: 2 } },
        { type: 'token-budget', config: { maxTokens: 12 } },
        { type: 'json-schema', config: { schema: { type: 'object', required: ['ref'] } } },
        { type: 'tool-call-count' },
        { type: 'token-usage', config: { track: 'output' } },
        { type: 'response-length', config: { unit: 'characters' } },
      ],
    };
    const strict = [{ type: 'tool-call-budget', config: { maxCalls: 1 } }];
    const cwd = await temporaryFolder({
      's.json': JSON.stringify(scenario),
      'strict.json': JSON.stringify({ ...scenario, name: 'Strict', evaluators: strict }),
    });
    const { stdout, exitCode } = await assay(['run', 's.json', 'strict.json', '--json'], { cwd });
    const [calls, over] = JSON.parse(stdout).trials;
    expect(calls).toMatchObject({
      outcome: 'pass',
      metrics: { 'tool-call-count': 2, 'token-usage': 5, 'response-length': 14 },
    });
    expect(over).toMatchObject({ outcome: 'fail', evaluatorResults: [{ type: 'tool-call-budget', success: false }] });
    expect(exitCode).toBe(1);
    const shown = JSON.parse((await assay(['show', calls.trialId, '--json'], { cwd })).stdout);
    const speakers = shown.trace.filter(({ type }: { type: string }) => type === 'message');
    expect(speakers.map(({ role }: { role: string }) => role)).toEqual(['assistant', 'user', 'assistant']);
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
        { type: 'contains', config: { text: '{{city}}', caseSensitive: false } },
        { type: 'regex', config: { pattern: '^[A-Z][a-z]+$' } },
        { type: 'equals', config: { text: '{{city}}' } },
        { type: 'similarity', config: { text: '{{city}}', minimum: 0.9 } },
        { type: 'cost-budget', config: { maxUsd: 0.01 } },
        { type: 'latency-budget', config: { maxMs: 60_000 } },
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
    const env = { OPENAI_API_KEY: 'any-key-will-do', ...model.environment };
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
    const vague = { ...input, passCriteria: [...met, "result.message !== 'around 10'"] };
    const judged = await assay(['judge', '-'], { cwd: '.', stdin: JSON.stringify(vague) });
    expect(JSON.parse(judged.stdout)).toMatchObject({ verdict: 'PASS', summary: { confidence: 'MEDIUM' } });
  });
});
