import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { closeServer, listenOnLoopback } from '../../src/drive/loopback-server.ts';
import { type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import type { ToolTrial } from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const key = 'sk-kept-by-the-gateway-0123456789';

/** Talks to the model until it is done, reports no tokens, and writes down everything that it can know. */
const agent = `
import { writeFileSync, readFileSync } from 'node:fs';
const { ASSAY_BASE_URL: url, ASSAY_API_KEY: key, ASSAY_MODEL: model, STREAM } = process.env;
const prompt = process.argv.at(-1);
const messages = [{ role: 'user', content: prompt }];
const send = (content) => fetch(url + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
  body: JSON.stringify({ model, max_tokens: 100, ...content }),
});
for (let count = Number(process.env.WARMUPS ?? 0); count > 0; count--) {
  await (await send({ messages: [{ role: 'user', content: 'Warmup' }] })).text();
}
for (let turn = 0; turn < 30; turn++) {
  const response = await send({ messages, tools: [{ type: 'function', function: { name: 'write' } }] });
  const text = await response.text();
  if (!response.ok) { console.log('failed: ' + text); process.exit(Number(process.env.EXIT ?? 1)); }
  const [{ message }] = JSON.parse(text).choices;
  messages.push(message);
  if (!message.tool_calls) break;
  writeFileSync('note.txt', 'A note.');
  messages.push({ role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'written' });
}
const known = JSON.stringify(process.env) + readFileSync('/proc/self/environ', 'utf8') + readFileSync('/proc/self/cmdline', 'utf8');
writeFileSync('known.txt', known);
console.log('Done.');
`;

interface GatewayRun {
  readonly folder: string;
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly trials: readonly (ToolTrial & { readonly usage?: { inputTokens: number; outputTokens: number } | null })[];
  traceOf(trial: ToolTrial): Promise<Trace>;
}

interface RunOptions {
  readonly scenario?: object;
  readonly config?: object;
  readonly agentConfig?: object;
  readonly flags?: readonly string[];
}

async function runAgent(
  url: string,
  { scenario, config, agentConfig, flags = [] }: RunOptions = {},
): Promise<GatewayRun> {
  const folder = await temporaryFolder({
    'agent.mjs': agent,
    'assay.config.yaml': JSON.stringify({
      agents: {
        mine: {
          kind: 'command',
          command: `${process.execPath} ${'${PWD_OF_TEST}'}/agent.mjs`,
          format: 'text',
          baseUrl: `${url}/v1`,
          apiKey: key,
          ...agentConfig,
        },
      },
      models: { prices: { 'test-model': { inputPer1M: 1, outputPer1M: 10 } } },
      ...config,
    }),
    'scenario.yaml': JSON.stringify({
      name: 'Notes',
      target: { binary: 'true' },
      task: { prompt: 'Write a note.' },
      evaluation: { gates: [{ type: 'file_exists', path: 'note.txt' }] },
      ...scenario,
    }),
  });
  const env = { PWD_OF_TEST: folder };
  const wanted = ['--json', '--no-cache', '--agent', 'mine', '--model', 'test-model', ...flags];
  const run = await assay(['run', 'scenario.yaml', ...wanted], { cwd: folder, env });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  const { trials } = JSON.parse(run.stdout) as Pick<GatewayRun, 'trials'>;
  const traceOf = async ({ trialId }: ToolTrial): Promise<Trace> =>
    JSON.parse((await assay(['show', trialId, '--json'], { cwd: folder })).stdout).trace;
  return { folder, exitCode: run.exitCode, stderr: run.stderr, trials, traceOf };
}

const perReply = { input: 1_000, output: 100 };

/** Calls the tool so often, and then is done. */
function script(toolCalls: number, more: ScriptSource['rules'] = []): ScriptSource {
  return {
    apiKey: key,
    rules: [
      ...more,
      ...(toolCalls === 0 ? [] : [{ times: toolCalls, toolCalls: [{ name: 'write' }], usage: perReply }]),
      { reply: 'Done.', usage: perReply },
    ],
  };
}

describe('an agent that goes through the gateway', () => {
  it('has exact tokens and costs although it reports none, and never sees the key', async () => {
    await using model = await startScriptedModel(script(2));
    const run = await runAgent(model.url);
    const [trial] = run.trials;
    if (!trial) throw new Error(run.stderr);
    expect(trial).toMatchObject({ outcome: 'pass', usage: { inputTokens: 3_000, outputTokens: 300 } });
    expect(trial.costUsd).toBeCloseTo(0.003 + 0.003, 10);
    const trace = await run.traceOf(trial);
    const calls = eventsOf(trace, 'model-call');
    expect(calls.map(({ number, status, model: name, agentThread }) => [number, status, name, agentThread])).toEqual([
      [1, 200, 'test-model', 1],
      [2, 200, 'test-model', 1],
      [3, 200, 'test-model', 1],
    ]);
    expect(eventsOf(trace, 'usage').map(({ seenBy, call }) => [seenBy, call])).toEqual([
      ['gateway', 1],
      ['gateway', 2],
      ['gateway', 3],
    ]);
    const artifacts = join(run.folder, '.assay/artifacts', trial.artifacts ?? '');
    const kept = readdirSync(join(artifacts, 'model-calls')).sort();
    expect(kept).toHaveLength(6);
    const files = readdirSync(artifacts, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('');
    expect(texts).toContain('assay-');
    expect(texts).not.toContain(key);
    expect(model.log().every(({ hasKey, refusal }) => hasKey && refusal === null)).toBe(true);
  });

  it('has unknown tokens and cost, and no budget kept, when one reply came without figures', async () => {
    let replies = 0;
    const provider = createServer((request, response) => {
      request.resume().on('end', () => {
        const tools = [{ id: 'c', type: 'function', function: { name: 'write', arguments: '{}' } }];
        const message =
          replies++ === 0 ? { role: 'assistant', tool_calls: tools } : { role: 'assistant', content: 'ok' };
        const usage = replies === 1 ? { prompt_tokens: 10, completion_tokens: 5 } : { prompt_tokens: 10 };
        const choices = [{ message, finish_reason: 'stop' }];
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ model: 'test-model', choices, usage }));
      });
    });
    await using _ = { [Symbol.asyncDispose]: () => closeServer(provider) };
    const url = await listenOnLoopback(provider, 0);
    const evaluators = [{ type: 'token-budget', config: { maxTokens: 1_000 } }];
    const { trials } = await runAgent(url, { scenario: { evaluators } });
    expect(trials).toMatchObject([{ outcome: 'error', costUsd: null }]);
    expect(trials[0]?.usage ?? null).toBeNull();
    expect(JSON.stringify(trials)).toContain('got no reply with figures');
  });

  it('reaches its model directly where the config says so', async () => {
    await using model = await startScriptedModel(script(1));
    for (const options of [{ config: { gateway: false } }, { agentConfig: { gateway: false } }]) {
      const run = await runAgent(model.url, options);
      const [trial] = run.trials;
      if (!trial) throw new Error(run.stderr);
      expect(trial).toMatchObject({ outcome: 'pass', costUsd: null });
      expect(eventsOf(await run.traceOf(trial), 'model-call')).toEqual([]);
      model.reset();
    }
  });

  it('is not judged when its model fails, whatever it prints and however it exits', async () => {
    await using model = await startScriptedModel(
      script(0, [
        { when: { turn: 2 }, fault: { status: 503 } },
        { when: { turn: 1 }, toolCalls: [{ name: 'write' }] },
      ]),
    );
    for (const EXIT of ['0', '1']) {
      const { trials } = await runAgent(model.url, { agentConfig: { env: { EXIT } } });
      expect(trials).toMatchObject([{ outcome: 'error', fault: { code: 'MODEL_UNAVAILABLE', blame: 'model' } }]);
    }
  });

  it('is not blamed for a model that hangs', { timeout: 60_000 }, async () => {
    await using model = await startScriptedModel(script(0, [{ fault: 'stall' }]));
    const { trials } = await runAgent(model.url, { scenario: { run: { timeout_secs: 12 } } });
    expect(trials).toMatchObject([{ outcome: 'error', fault: { code: 'MODEL_TIMEOUT', blame: 'model' } }]);
  });

  it('is stopped at its limit of turns, although it reports none', async () => {
    // Some agents send requests beside their task before they begin; these are not turns.
    for (const warmups of [0, 3]) {
      await using model = await startScriptedModel(script(100));
      const agentConfig = { env: { WARMUPS: String(warmups) } };
      const run = await runAgent(model.url, { scenario: { run: { max_turns: 3 } }, agentConfig });
      const [trial] = run.trials;
      if (!trial) throw new Error(run.stderr);
      expect(trial).toMatchObject({ outcome: 'pass', interaction: { completed: false } });
      expect(eventsOf(await run.traceOf(trial), 'agent-ended')).toMatchObject([
        { reason: 'stopped at the limit of 3 turns' },
      ]);
      expect(model.log()).toHaveLength(warmups + 3);
    }
  });

  it('uses the pinned model whatever it requests', async () => {
    await using model = await startScriptedModel(script(1));
    const run = await runAgent(model.url, { agentConfig: { gateway: { pinModel: 'gpt-4o-mini' } } });
    const [trial] = run.trials;
    if (!trial) throw new Error(run.stderr);
    const calls = eventsOf(await run.traceOf(trial), 'model-call');
    expect(calls.map(({ model: name, sentAs }) => [name, sentAs])).toEqual([
      ['test-model', 'gpt-4o-mini'],
      ['test-model', 'gpt-4o-mini'],
    ]);
    expect(new Set(model.log().map(({ conversation }) => conversation?.model))).toEqual(new Set(['gpt-4o-mini']));
  });
});

/** The money that the scripted provider would bill. */
function billedUsd(replies: readonly unknown[]): number {
  return (replies.length * (perReply.input * 1 + perReply.output * 10)) / 1e6;
}

describe('a limit on spending', () => {
  const limitUsd = 0.02;

  it('of a trial is never passed, and the agent is stopped', async () => {
    await using model = await startScriptedModel(script(100));
    const { trials, exitCode } = await runAgent(model.url, { scenario: { cost: { max_usd: limitUsd } } });
    expect(trials).toMatchObject([{ outcome: 'error', fault: { code: 'MODEL_BUDGET_REACHED' } }]);
    expect(trials[0]?.fault?.message).toMatch(
      /^The agent was stopped after \$0\.0\d.*a limit of \$0\.02 for one trial/,
    );
    expect(exitCode).toBe(3);
    const replies = model.log().filter(({ reply }) => reply !== null);
    expect(replies.length).toBeGreaterThan(1);
    expect(billedUsd(replies)).toBeLessThanOrEqual(limitUsd);
    expect(trials[0]?.costUsd).toBeCloseTo(billedUsd(replies), 10);
  });

  it('of a run is never passed by many agents at the same time', { timeout: 120_000 }, async () => {
    await using model = await startScriptedModel(script(10_000));
    const flags = ['--repeat', '12', '--concurrency', '12', '--max-usd', String(limitUsd)];
    const { trials } = await runAgent(model.url, { flags });
    const replies = model.log().filter(({ reply }) => reply !== null);
    expect(replies.length).toBeGreaterThan(2);
    expect(billedUsd(replies)).toBeLessThanOrEqual(limitUsd);
    const spent = trials.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
    expect(spent).toBeCloseTo(billedUsd(replies), 10);
    expect(new Set(trials.map(({ outcome, fault }) => `${outcome} ${fault?.code}`))).toEqual(
      new Set(['error MODEL_BUDGET_REACHED']),
    );
  });

  it('of tokens is never passed, and the agent is stopped', async () => {
    await using model = await startScriptedModel(script(100));
    const { trials } = await runAgent(model.url, { scenario: { cost: { max_tokens: 6_000 } } });
    expect(trials).toMatchObject([{ outcome: 'error', fault: { code: 'MODEL_BUDGET_REACHED' } }]);
    expect(trials[0]?.fault?.message).toMatch(
      /stopped after 5,500 tokens: .*, and a limit of 6,000 tokens .* 500 tokens/,
    );
    expect(model.log()).toHaveLength(5);
  });

  it('cuts a reply that would pass it, and the trial is not judged', async () => {
    const reply = { reply: 'word '.repeat(4_000), usage: { input: 1_000, output: 4_000 } };
    await using model = await startScriptedModel({ apiKey: key, rules: [reply] });
    const run = await runAgent(model.url, { scenario: { cost: { max_usd: limitUsd } } });
    const [trial] = run.trials;
    if (!trial) throw new Error(run.stderr);
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'MODEL_BUDGET_REACHED' } });
    expect(trial.fault?.message).toContain('was cut at $0.04, because a limit of $0.02 for one trial leaves no more');
    const [call] = eventsOf(await run.traceOf(trial), 'model-call');
    expect(call?.error?.message).toContain('was cut at');
  });

  it('sends nothing to a model whose price is not known', async () => {
    await using model = await startScriptedModel(script(1));
    const { trials } = await runAgent(model.url, {
      scenario: { cost: { max_usd: 1 } },
      config: { models: { prices: {} } },
    });
    expect(trials).toMatchObject([{ outcome: 'error', fault: { code: 'MODEL_NO_PRICE' } }]);
    expect(model.log()).toEqual([]);
  });
});
