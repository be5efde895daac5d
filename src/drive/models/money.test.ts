import { describe, expect, it, onTestFinished } from 'vitest';
import { redactionOf } from '../../shared/redaction/redaction.ts';
import { asking } from '../../testing/fakes/connectors/opened.ts';
import { reply, serve } from '../../testing/support/http-server.ts';
import { question, secretKey } from '../../testing/support/models.ts';
import type { ConnectorKind } from '../connectors/connector.ts';
import { anthropicConnector, openaiChatConnector } from '../connectors/providers.ts';
import { Threads } from '../targets/call/threads.ts';
import { modelsConfigSchema } from './models-config.ts';
import { openModels } from './open-models.ts';
import { RunAccount, Spending } from './spending.ts';

const json = { 'content-type': 'application/json' };
const config = modelsConfigSchema.parse({});
const { signal } = new AbortController();

const anthropicReply = (usage: object) => ({
  type: 'message',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  model: 'claude-sonnet-4-5',
  role: 'assistant',
  id: 'm',
  usage,
});
const chatReply = (usage: object) => ({
  choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }],
  usage,
});

/** Cost of a turn with a connector, by the account of a run. */
async function costOfTurn(kind: ConnectorKind, model: string, body: unknown, spending = new Spending(undefined)) {
  const baseUrl = await serve(reply(200, JSON.stringify(body), json));
  const account = { isLimited: false, open: async () => new RunAccount(spending, config) };
  const context = { directory: '.', env: {}, threads: new Threads(), signal, account };
  const connector = await kind.open(kind.configSchema.parse({ model }), { baseUrl, headers: {} }, context);
  onTestFinished(() => connector[Symbol.asyncDispose]());
  return (await connector.invoke(asking('Hello'))).costUsd;
}

async function costOfCall(model: string, body: unknown) {
  const url = await serve(reply(200, JSON.stringify(body), json));
  const env = {
    ANTHROPIC_API_KEY: secretKey,
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: secretKey,
    OPENAI_BASE_URL: url,
  };
  const models = openModels({ config, env, redact: redactionOf([]) });
  onTestFinished(() => models[Symbol.asyncDispose]());
  return (await (await models.find(model)).generate(question('Hi'), signal)).costUsd;
}

const cacheRead = anthropicReply({
  input_tokens: 0,
  cache_read_input_tokens: 100_000,
  cache_creation_input_tokens: 0,
  output_tokens: 12,
});
const cacheWritten = anthropicReply({
  input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 100_000,
  output_tokens: 12,
});
const mostlyCached = chatReply({
  prompt_tokens: 100_000,
  completion_tokens: 10,
  total_tokens: 100_010,
  prompt_tokens_details: { cached_tokens: 99_000 },
});

describe('cached input has its own price', () => {
  it('where a connector is billed', async () => {
    expect(await costOfTurn(anthropicConnector, 'claude-sonnet-4-5', cacheRead)).toBeCloseTo(0.03018, 8);
    expect(await costOfTurn(anthropicConnector, 'claude-sonnet-4-5', cacheWritten)).toBeCloseTo(0.37518, 8);
    expect(await costOfTurn(openaiChatConnector, 'gpt-4o', mostlyCached)).toBeCloseTo(0.12635, 8);
  });

  it('where a model of the run is', async () => {
    expect(await costOfCall('anthropic/claude-sonnet-4-5', cacheRead)).toBeCloseTo(0.03018, 8);
    expect(await costOfCall('anthropic/claude-sonnet-4-5', cacheWritten)).toBeCloseTo(0.37518, 8);
    expect(await costOfCall('openai/gpt-4o', mostlyCached)).toBeCloseTo(0.12635, 8);
  });
});

describe('a reply whose tokens are not all known', () => {
  it.each([
    { completion_tokens: 3 },
    { total_tokens: 42 },
    { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  ])('has no price, and uses up what was set aside for it: %j', async (usage) => {
    const spending = new Spending(10);
    expect(await costOfTurn(openaiChatConnector, 'gpt-4o', chatReply(usage), spending)).toBeUndefined();
    expect(spending.spentUsd).toBe(0);
    expect(spending.leftUsd).toBeLessThan(10);
    expect(await costOfCall('openai/gpt-4o', chatReply(usage))).toBeNull();
  });
});

it('enough is set aside for a prompt that is written to a cache', async () => {
  const price = { inputPer1M: 1, cacheWritePer1M: 4, outputPer1M: 0 };
  const priced = modelsConfigSchema.parse({ prices: { 'anthropic/dear': price } });
  const account = new RunAccount(new Spending(0.01), priced);
  const paid = { provider: 'anthropic', model: 'dear', inputBytes: 4_000, maxOutputTokens: 1 };
  const payment = { send: async () => 'sent', usageOf: () => undefined, mayBeBilled: () => true };
  // Fresh input would cost half a cent, written input two.
  await expect(account.pay(paid, payment, signal)).rejects.toMatchObject({ code: 'MODEL_BUDGET_REACHED' });
});
