import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { loadModelScript } from '../../src/load/scripts.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { storeElsewhere } from '../../src/testing/support/project-store.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = `${root}/examples/booking-agent`;

/** Starts the example's agent on a model; gives its address. */
async function startBookingAgent(env: Readonly<Record<string, string>>): Promise<string> {
  const agent = spawn(process.execPath, ['agent.mjs'], {
    cwd: example,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    agent.kill();
  });
  const [url] = (await once(createInterface(agent.stdout), 'line')) as [string];
  return url;
}

/** An endpoint that gives these answers, one after the other; a pause comes before its answer. */
async function startEndpoint(answers: readonly (string | { readonly pauseMs: number; readonly text: string })[]) {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const { messages } = JSON.parse(body);
      asked.push(messages);
      const answer = answers[messages.filter(({ role }: { role: string }) => role === 'assistant').length] ?? 'again';
      const { pauseMs, text } = typeof answer === 'string' ? { pauseMs: 0, text: answer } : answer;
      setTimeout(() => response.end(JSON.stringify({ content: text })), pauseMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function converse(scenario: Record<string, unknown>, flags: readonly string[] = [], files = {}) {
  const folder = await temporaryFolder({ 's.json': JSON.stringify(scenario), ...files });
  const result = await assay(['run', 's.json', '--json', '--no-cache', ...flags], { cwd: folder });
  if (!result.stdout.startsWith('{')) throw new Error(result.stderr);
  return { ...result, trial: JSON.parse(result.stdout).trials[0] };
}

describe('a conversation', () => {
  it('gives the result of the seed for its example', async () => {
    await using model = await startScriptedModel(await loadModelScript('examples/booking-agent/model.yaml', root));
    const env = { OPENAI_API_KEY: 'any-key-will-do', ...model.environment };
    const BOOKING_AGENT_URL = await startBookingAgent(env);
    const store = await storeElsewhere();
    const flags = ['--judge-model', 'openai/gpt-4o-mini', '--no-cache', ...store];
    const run = (...more: string[]) =>
      assay(['run', 'booking-flow.jsonc', ...flags, ...more], { cwd: example, env: { ...env, BOOKING_AGENT_URL } });
    const result = await run('--json');
    const { outcome, trials } = JSON.parse(result.stdout);
    expect(outcome).toBe('pass');
    expect(trials[0].metrics).toEqual({ 'tool-call-count': 2, 'token-usage': 856 });
    expect((await run()).stdout).toMatch(/Assertions\n.*\n +✓ +llm-judge[\s\S]*Metrics\n.*\n +· +tool-call-count +2 /);
    expect((await run('--reporter', 'markdown')).stdout).toMatch(
      /Assertions[\s\S]*Metrics[\s\S]*\| token-usage \| 856 \|/,
    );
  });

  it('goes on until what it waits for has come, and not beyond', async () => {
    const { url, asked } = await startEndpoint(['Which day?', 'Which time?', 'Booked: BK-12345', 'Anything else?']);
    const { trial, exitCode } = await converse({
      name: 'Three turns',
      connector: { type: 'http', baseUrl: url },
      userMessages: ['A table, please', 'Monday', 'At noon', 'Thanks'],
      evaluators: [{ type: 'regex', config: { pattern: 'BK-\\d{5}' } }],
    });
    expect(asked).toHaveLength(3);
    expect(trial).toMatchObject({ outcome: 'pass', evaluatorResults: [{ type: 'regex', state: 'pass', turn: 3 }] });
    expect(trial.turns.map(({ results }: { results: { state: string }[] }) => results[0]?.state)).toEqual([
      'pending',
      'pending',
      'pass',
    ]);
    expect(exitCode).toBe(0);
  });

  it('ends where a rule for every turn is broken', async () => {
    const { url, asked } = await startEndpoint([
      'Which day?',
      { pauseMs: 400, text: 'Which time?' },
      'Booked: BK-12345',
    ]);
    const { trial, exitCode } = await converse({
      name: 'Too slow',
      connector: { type: 'http', baseUrl: url },
      userMessages: ['A table, please', 'Monday', 'At noon'],
      evaluators: [
        { type: 'regex', config: { pattern: 'BK-\\d{5}' } },
        { type: 'latency-budget', config: { maxMs: 300 } },
      ],
    });
    expect(asked).toHaveLength(2);
    expect(trial.outcome).toBe('fail');
    expect(trial.evaluatorResults).toMatchObject([
      { type: 'regex', state: 'fail' },
      { type: 'latency-budget', state: 'fail', turn: 2 },
    ]);
    expect(exitCode).toBe(1);
  });

  it('has assertions on one turn, which look at nothing else', async () => {
    const { url, asked } = await startEndpoint(['Which day?', 'Which time?', 'Booked: BK-12345', 'Bye']);
    const scenario = {
      name: 'By turn',
      connector: { type: 'http', baseUrl: url, reports: ['tool-calls'] },
      messages: [{ role: 'user', content: 'A table, please' }],
      userMessages: ['Monday', 'At noon', 'Thanks'],
    };
    const on = (turn: number, text: string) => ({ type: 'contains', turn, config: { text } });
    const held = await converse({
      ...scenario,
      evaluators: [{ type: 'contains', config: { text: 'day' } }, on(1, 'day'), on(3, 'BK-12345')],
    });
    expect(held.trial).toMatchObject({
      outcome: 'pass',
      evaluatorResults: [
        { state: 'pass', turn: 1 },
        { state: 'pass', turn: 1, reason: 'Turn 1: The answer contains "day"' },
        { state: 'pass', turn: 3, reason: expect.stringMatching(/^Turn 3: /) },
      ],
    });
    // What another assertion waits for came in turn 1, and an assertion still waits for turn 3.
    expect(asked).toHaveLength(3);

    const broken = await converse({ ...scenario, evaluators: [on(2, 'day'), on(4, 'Bye')] });
    expect(broken.trial).toMatchObject({
      outcome: 'fail',
      reason: 'Turn 2: The answer does not contain "day"; it is "Which time?"',
      evaluatorResults: [
        { state: 'fail', turn: 2 },
        { state: 'skipped', turn: 4, reason: 'Turn 4: not reached, because turn 2 decided the trial' },
      ],
    });
    expect(asked).toHaveLength(5);

    const cut = converse({ ...scenario, maxMessages: 4, evaluators: [on(1, 'day'), on(3, 'BK-12345')] });
    await expect(cut).rejects.toThrow('`maxMessages` is 4, but 3 messages of the user and their answers need 8');
  });

  it('has assertions on the calls of one turn', async () => {
    const calls = "[{ id: '1', type: 'function', function: { name: 'look', arguments: '{}' } }]";
    const agent = `export default ({ messages }) => messages.length > 1 ? 'Bye' : { messages: [
      { role: 'assistant', content: null, tool_calls: ${calls} }, { role: 'tool', tool_call_id: '1', content: 'ok' },
      { role: 'assistant', content: 'I looked' }] };`;
    const on = (type: string, turn: number) => ({ type, turn, config: { tool: 'look' } });
    const scenario = {
      name: 'Calls by turn',
      connector: { type: 'module', reports: ['tool-calls'], config: { module: './agent.mjs' } },
      userMessages: ['Look', 'Thanks'],
    };
    const evaluators = [on('tool-called', 1), on('tool-not-called', 2), on('tool-called', 2)];
    const { trial } = await converse({ ...scenario, evaluators }, [], { 'agent.mjs': agent });
    expect(trial.evaluatorResults).toMatchObject([
      { state: 'pass', reason: expect.stringMatching(/^Turn 1: look was called 1 time/) },
      { state: 'pass', reason: expect.stringMatching(/^Turn 2: /) },
      { state: 'fail', reason: expect.stringMatching(/^Turn 2: look was not called/) },
    ]);
    const unreported = { ...scenario, connector: { type: 'module', config: { module: './silent.mjs' } } };
    const silent = await converse({ ...unreported, evaluators: [on('tool-not-called', 2)] }, [], {
      'silent.mjs': "export default () => 'Hm';",
    });
    expect(silent.trial).toMatchObject({ outcome: 'error', fault: { code: 'NOT_OBSERVED' } });
    expect(silent.trial.evaluatorResults[0].reason).toMatch(/^Turn 2: /);
  });

  it('refuses assertions on turns that make no sense', async () => {
    const evaluators = [
      { type: 'contains', turn: 3, config: { text: 'x' } },
      { type: 'contains', turn: 1, when: 'final', config: { text: 'x' } },
      { type: 'token-usage', turn: 1 },
      { type: 'contains', turn: 0, config: { text: 'x' } },
    ];
    const scenario = { name: 'Turns', connector: 'http://127.0.0.1:9', userMessages: ['Hi', 'Bye'], evaluators };
    const folder = await temporaryFolder({ 's.json': JSON.stringify(scenario, null, 1) });
    const { exitCode, stdout, stderr } = await assay(['validate', 's.json'], { cwd: folder });
    expect(exitCode).toBe(2);
    for (const text of [
      'there is no turn 3: the messages of the user make 2 turns',
      'Give `when` or `turn`, not both',
      '`turn` is not supported for `token-usage`: it is a metric',
      '`evaluators[3].turn` must be at least 1',
    ])
      expect(stdout + stderr).toContain(text);
  });

  it('cannot be judged when nobody answers', async () => {
    const { trial, exitCode } = await converse({
      name: 'Nobody there',
      connector: { type: 'http', baseUrl: 'http://127.0.0.1:9' },
      userMessages: ['Hello'],
      evaluators: [{ type: 'contains', config: { text: 'hello' } }],
    });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'TARGET_UNREACHABLE', blame: 'target' } });
    expect(exitCode).toBe(3);
  });
});

describe('paths of a connector', () => {
  it('start from the file that defines it, whichever folder the scenario is in', async () => {
    const scenario = (name: string) =>
      JSON.stringify({
        name,
        messages: [{ role: 'user', content: 'Hello' }],
        evaluators: [{ type: 'contains', config: { text: 'HELLO', caseSensitive: true } }],
      });
    const cwd = await temporaryFolder({
      'assay.config.json': JSON.stringify({
        connectors: {
          module: {
            type: 'module',
            config: { module: './agents/echo.mjs' },
            transform: { module: './agents/loud.mjs' },
          },
          command: { type: 'command', config: { command: 'node ./agents/loud-echo.mjs' } },
        },
      }),
      'agents/echo.mjs': 'export default async ({ messages }) => messages.at(-1).content;\n',
      'agents/loud.mjs': 'export default (output) => String(output).toUpperCase();\n',
      'agents/loud-echo.mjs': 'process.stdin.resume(); process.stdin.on("end", () => console.log("HELLO"));\n',
      'near.json': scenario('Near'),
      'scenarios/deep/far.json': scenario('Far'),
    });
    for (const file of ['near.json', 'scenarios/deep/far.json']) {
      const { stdout, stderr } = await assay(['run', file, '--connector', 'module,command', '--json'], { cwd });
      expect(JSON.parse(stdout).totals, stderr).toMatchObject({ pass: 2, planned: 2 });
    }
  });
});
