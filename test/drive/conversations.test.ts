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

async function converse(scenario: Record<string, unknown>, flags: readonly string[] = []) {
  const folder = await temporaryFolder({ 's.json': JSON.stringify(scenario) });
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
    expect((await run()).stdout).toMatch(/Assertions\n +✓ llm-judge[\s\S]*Metrics\n +· tool-call-count +2 /);
    expect((await run('--reporter', 'markdown')).stdout).toMatch(
      /#### Assertions[\s\S]*#### Metrics[\s\S]*\| token-usage \| 856 \|/,
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
