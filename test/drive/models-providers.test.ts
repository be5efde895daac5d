import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { bodyOf, serve } from '../../src/testing/support/http-server.ts';
import {
  ask,
  failureOf,
  keys,
  opened,
  question,
  scripted,
  secretKey,
  skippingClock,
} from '../../src/testing/support/models.ts';

const script = {
  apiKey: secretKey,
  rules: [
    {
      when: { last: 'sunny' },
      toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }],
      usage: { input: 30, output: 5 },
    },
    { when: { last: 'verdict' }, reply: { json: { pass: true } } },
    { reply: 'Hello there', usage: { input: 1000, output: 200 } },
  ],
};

const models = [
  'openai/gpt-4o-mini',
  'openai-responses/gpt-4o-mini',
  'anthropic/claude-sonnet-4-5',
  'google/gemini-2.5-flash',
];

const weather = {
  name: 'weather',
  description: 'Tells the weather.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe.each(models)('%s', (name) => {
  it('answers with text, usage and cost', async () => {
    const server = await scripted(script);
    const project = opened({ env: { ...server.environment, ...keys } });
    const reply = await ask(project, name, question('Hi', { system: 'Be brief.', temperature: 0 }));
    expect(reply).toMatchObject({
      text: 'Hello there',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 1000, outputTokens: 200 },
      isReplayed: false,
    });
    expect(reply.respondedAs).toBe(name.slice(name.indexOf('/') + 1));
    expect(reply.costUsd).toBeGreaterThan(0);
    expect(project.spentUsd()).toBe(reply.costUsd);
    expect(server.log()[0]?.conversation).toMatchObject({ system: 'Be brief.' });
  });

  it('asks for tools and takes their results', async () => {
    const server = await scripted({
      ...script,
      rules: [{ when: { toolResult: 'rain' }, reply: 'Take a coat' }, ...script.rules],
    });
    const project = opened({ env: { ...server.environment, ...keys } });
    const asked = question('Is it sunny?', { tools: [weather] });
    const { toolCalls, finishReason, text } = await ask(project, name, asked);
    expect(toolCalls).toEqual([{ callId: expect.any(String), tool: 'weather', input: { city: 'Oslo' } }]);
    expect(finishReason).toBe('tool-calls');
    const callId = toolCalls[0]?.callId ?? '';
    const reply = await ask(project, name, {
      ...asked,
      messages: [
        ...asked.messages,
        { role: 'assistant', content: text, toolCalls },
        { role: 'tool', callId, tool: 'weather', content: 'rain' },
      ],
    });
    expect(reply.text).toBe('Take a coat');
  });

  it('asks for JSON of a schema', async () => {
    const server = await scripted(script);
    const project = opened({ env: { ...server.environment, ...keys } });
    const schema = {
      type: 'object',
      properties: { pass: { type: 'boolean' } },
      required: ['pass'],
      additionalProperties: false,
    };
    const reply = await ask(project, name, question('Your verdict?', { output: { name: 'verdict', schema } }));
    expect(JSON.parse(reply.text)).toEqual({ pass: true });
  });

  it('is not asked without a key, and says which variable to set', async () => {
    const failure = await failureOf(opened({ env: {} }).find(name));
    expect(failure).toMatchObject({ code: 'MODEL_NO_KEY', exitCode: 3 });
    expect(failure.hint).toMatch(/OPENAI_API_KEY|ANTHROPIC_API_KEY|GEMINI_API_KEY/);
  });
});

/** A server that keeps what it is sent and answers as a chat API. */
async function chatServer() {
  const requests: {
    readonly url: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: Record<string, unknown>;
  }[] = [];
  const url = await serve(async (request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers, body: JSON.parse(await bodyOf(request)) });
    response.setHeader('content-type', 'application/json').end(chatReply);
  });
  return { url, requests };
}

const chatReply = JSON.stringify({
  model: 'llama3:8b',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
});

describe('a server of the user', () => {
  it('is asked under its name in the config, with its headers, without a key', async () => {
    const server = await chatServer();
    const local = { baseUrl: `${server.url}/v1`, headers: { 'x-team': '${TEAM}' } };
    const project = opened({ config: { providers: { local } }, env: { TEAM: 'blue' } });
    const reply = await ask(project, 'local/meta/llama3', question('Hi'));
    expect(reply).toMatchObject({ text: 'Hello', respondedAs: 'llama3:8b', costUsd: null });
    expect(server.requests[0]).toMatchObject({ url: '/v1/chat/completions', body: { model: 'meta/llama3' } });
    expect(server.requests[0]?.headers).toMatchObject({ 'x-team': 'blue' });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('gets the key of the config, which may come from a variable', async () => {
    const server = await chatServer();
    const config = { providers: { local: { baseUrl: server.url, apiKey: '${LOCAL_KEY}' } } };
    await ask(opened({ config, env: { LOCAL_KEY: ` ${secretKey}\n` } }), 'local/m', question('Hi'));
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${secretKey}`);
    const failure = await failureOf(opened({ config, env: {} }).find('local/m'));
    expect(failure).toMatchObject({ code: 'MODEL_NO_KEY', hint: 'Set the environment variable LOCAL_KEY.' });
  });

  it('is asked for strict JSON only when the schema allows it', async () => {
    const server = await chatServer();
    const project = opened({ config: { providers: { local: { baseUrl: server.url } } }, env: {} });
    const properties = { pass: { type: 'boolean' } };
    const loose = { type: 'object', properties };
    const strict = { ...loose, required: ['pass'], additionalProperties: false };
    for (const schema of [loose, strict]) {
      await ask(project, 'local/m', question('Hi', { output: { name: 'verdict', schema } }));
    }
    expect(server.requests.map(({ body }) => body.response_format)).toMatchObject([
      { type: 'json_schema', json_schema: { name: 'verdict', strict: false } },
      { type: 'json_schema', json_schema: { name: 'verdict', strict: true } },
    ]);
  });
});

describe('base URLs', () => {
  it.each([
    ['OPENAI_BASE_URL', '', 'openai/gpt-4o', '/v1/chat/completions'],
    ['OPENAI_BASE_URL', '/v1/', 'openai/gpt-4o', '/v1/chat/completions'],
    ['OPENAI_BASE_URL', '/gateway/openai', 'openai/gpt-4o', '/gateway/openai/chat/completions'],
    ['OPENAI_BASE_URL', '/v1', 'openai-responses/gpt-4o', '/v1/responses'],
    ['ANTHROPIC_BASE_URL', '', 'anthropic/claude-sonnet-4-5', '/v1/messages'],
    ['ANTHROPIC_BASE_URL', '/v1', 'anthropic/claude-sonnet-4-5', '/v1/messages'],
    ['ANTHROPIC_BASE_URL', '/proxy', 'anthropic/claude-sonnet-4-5', '/proxy/v1/messages'],
    ['GOOGLE_GEMINI_BASE_URL', '', 'gemini/gemini-2.5-pro', '/v1beta/models/gemini-2.5-pro:generateContent'],
    ['GOOGLE_GEMINI_BASE_URL', '/v1beta', 'gemini-2.5-pro', '/v1beta/models/gemini-2.5-pro:generateContent'],
  ])('%s with the path "%s" sends %s to %s', async (variable, path, name, expected) => {
    const server = await chatServer();
    const project = opened({ env: { ...keys, [variable]: `${server.url}${path}` }, random: () => 0 });
    await ask(project, name, question('Hi')).catch(() => undefined);
    expect(server.requests[0]?.url).toBe(expected);
  });

  it('of the config go before those of the environment, and so do keys', async () => {
    const server = await chatServer();
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:1', OPENAI_API_KEY: 'another key' };
    const config = { providers: { openai: { baseUrl: server.url, apiKey: secretKey, api: 'responses' } } };
    await ask(opened({ config, env, random: () => 0 }), 'gpt-4o', question('Hi')).catch(() => undefined);
    expect(server.requests[0]?.url).toBe('/v1/responses');
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${secretKey}`);
  });
});

describe('what is sent', () => {
  it('has a mark for the cache of Anthropic on a system text that is repeated, and on no other', async () => {
    const server = await chatServer();
    const project = opened({ env: { ...keys, ANTHROPIC_BASE_URL: server.url }, clock: skippingClock() });
    for (const repeatsSystem of [true, undefined]) {
      const asked = question('Hi', { system: 'Be brief.', repeatsSystem });
      await failureOf(ask(project, 'anthropic/claude-sonnet-4-5', asked));
    }
    const system = { type: 'text', text: 'Be brief.' };
    expect(server.requests[0]?.body.system).toEqual([{ ...system, cache_control: { type: 'ephemeral' } }]);
    expect(server.requests.at(-1)?.body.system).toEqual('Be brief.');
  });

  it('has a seed only where seeds are known', async () => {
    const server = await chatServer();
    const env = { ...keys, OPENAI_BASE_URL: server.url, ANTHROPIC_BASE_URL: server.url };
    const project = opened({ env, random: () => 0 });
    await ask(project, 'openai/gpt-4o', question('Hi', { seed: 7 }));
    await ask(project, 'anthropic/claude-sonnet-4-5', question('Hi', { seed: 7 })).catch(() => undefined);
    expect(server.requests[0]?.body.seed).toBe(7);
    expect(server.requests[1]?.body).not.toHaveProperty('seed');
  });

  it('is not kept by OpenAI', async () => {
    const server = await chatServer();
    const project = opened({ env: { ...keys, OPENAI_BASE_URL: server.url } });
    await ask(project, 'openai/gpt-4o', question('Hi'));
    expect(server.requests[0]?.body.store).toBe(false);
  });
});

describe('names', () => {
  it.each([
    ['gpt-4o-mini', 'openai/gpt-4o-mini'],
    ['o3', 'openai/o3'],
    ['chatgpt-4o-latest', 'openai/chatgpt-4o-latest'],
    ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['gemini-2.5-pro', 'google/gemini-2.5-pro'],
    ['gemini/gemini-2.5-pro', 'google/gemini-2.5-pro'],
  ])('%s is %s', async (written, name) => {
    expect((await opened({ env: keys }).find(written)).name).toBe(name);
  });

  it.each([
    ['llama3', /known providers: openai/],
    ['gtp-4o', /Did you mean `openai\/gpt-4o`\?/],
    ['opnai/gpt-4o', /Did you mean `openai`\?/],
    ['openai/', /provider\/model/],
    ['', /known providers/],
    ['__proto__/x', /Known:/],
  ])('"%s" is unknown, and the hint helps', async (written, hint) => {
    const failure = await failureOf(opened({ env: keys }).find(written));
    expect(failure).toMatchObject({ code: 'MODEL_UNKNOWN', exitCode: 2 });
    expect(failure.hint).toMatch(hint);
  });
});
