import type { ServerResponse } from 'node:http';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpClient } from '../../shared/http/http-client.ts';
import { bodyOf, serve } from '../../testing/support/http-server.ts';
import { question, secretKey } from '../../testing/support/models.ts';
import { systemClock } from './clock.ts';
import { withDirectCalls } from './direct-calls.ts';
import { fetchThrough } from './http-fetch.ts';
import type { ModelRequest } from './model.ts';
import { modelsConfigSchema } from './models-config.ts';
import type { Connection, LanguageModel } from './provider.ts';
import { providerModel } from './provider-model.ts';
import { readPlainChatAnswer } from './providers/plain-chat-answer.ts';
import { resolveModel } from './resolve-model.ts';

type Answer = string | ((response: ServerResponse) => void);

/** A server that gives the same answers to everyone who asks in the same order, and keeps all that it is sent. */
async function connect(name: string, answers: readonly Answer[]) {
  const received: unknown[] = [];
  const url = await serve(async (request, response) => {
    const { method, url: path, headers } = request;
    const { host: _, ...kept } = headers;
    const answer = answers[received.length % answers.length] ?? '';
    received.push({ method, path, headers: kept, body: await bodyOf(request) });
    if (typeof answer === 'function') answer(response);
    else response.setHeader('content-type', 'application/json').end(answer);
  });
  const client = new HttpClient({ env: {} });
  onTestFinished(() => client[Symbol.dispose]());
  const config = modelsConfigSchema.parse({ providers: { local: { baseUrl: url } } }).providers.local;
  if (!config) throw new Error('the config has no such provider');
  const headers = { 'x-team': 'blue' };
  const fetch = fetchThrough(client);
  const connection: Connection = { name, baseUrl: `${url}/v1`, apiKey: secretKey, headers, config, fetch, env: {} };
  return { connection, received, host: new URL(url).host };
}

const sdks: Readonly<Record<string, (model: string, connection: Connection) => LanguageModel>> = {
  openai: (model, { baseUrl: baseURL, apiKey, headers, fetch }) =>
    createOpenAI({ baseURL, apiKey, headers, fetch }).chat(model),
  local: (model, { name, baseUrl: baseURL, apiKey, headers, fetch, config }) =>
    createOpenAICompatible({
      ...{ name, baseURL, apiKey, headers, fetch },
      supportsStructuredOutputs: config.structuredOutputs,
    })(model),
};

/** The requests that a server received, and the result of each. */
async function exchanges(
  name: string,
  isDirect: boolean,
  requests: readonly ModelRequest[],
  answers: readonly Answer[],
) {
  const [provider = '', id = ''] = name.split('/');
  const { connection, received, host } = await connect(provider, answers);
  const resolved = resolveModel(name, modelsConfigSchema.parse({ providers: { local: { baseUrl: 'http://a.test' } } }));
  const model = providerModel(resolved, {
    open: async () => (isDirect ? resolved.provider.open(id, connection) : sdks[provider]?.(id, connection)) ?? never(),
    openEmbedding: never,
    price: async () => null,
    takesImages: true,
    redact: (text) => text.replaceAll(host, 'HOST'),
    clock: systemClock,
  });
  const outcomes: unknown[] = [];
  for (const request of requests) {
    const { signal } = new AbortController();
    outcomes.push(
      await model.generate(request, signal).then(
        (reply) => ({ ...reply, latencyMs: 0 }),
        ({ code, message, traits }) => ({ code, message, traits }),
      ),
    );
  }
  return { received, outcomes };
}

function never(): never {
  throw new Error('not needed');
}

const message = { role: 'assistant', content: 'Blue "sky"\n' };
const choice = { index: 0, message, finish_reason: 'stop' };
const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
const plain = { id: 'c1', model: 'answered-as', created: 1, choices: [choice], usage };

const schema = {
  type: 'object',
  properties: { pass: { type: 'boolean' }, notes: { type: 'array', items: { type: 'string' } } },
  required: ['pass', 'notes'],
  additionalProperties: false,
};
const odd = `"messages":["text 1 of the prompt"] \\ \u2028 \ud800 é 漢 ${'x'.repeat(5_000)}`;

const requests: readonly ModelRequest[] = [
  question('Hi'),
  question('Hi again'),
  question(odd),
  question(''),
  question('Hi', { system: 'Be brief.' }),
  question(odd, { system: odd }),
  question('user', { system: 'system', temperature: 0, maxOutputTokens: 100, seed: 7 }),
  question('json', { system: 'json_schema', temperature: 0, maxOutputTokens: 100, seed: 8 }),
  question('Verdict?', { system: 'a', output: { name: 'verdict', schema }, temperature: 0 }),
  question('Verdict!', { system: 'b', output: { name: 'verdict', schema }, temperature: 0 }),
  question('Verdict!', { system: 'b', output: { name: 'other', schema: { ...schema, required: [] } } }),
  question('text 1 of the prompt', { system: 'text 2 of the prompt' }),
  question('Is it sunny?', { tools: [{ name: 'weather', description: 'Gives the weather.', inputSchema: schema }] }),
  { messages: [{ role: 'user', content: 'a' }, message as { role: 'assistant'; content: string }] },
  {
    messages: [
      { role: 'user', content: 'a' },
      message as { role: 'assistant'; content: string },
      ...question('b').messages,
    ],
  },
];

const models = ['openai/gpt-4o-mini', 'openai/gpt-5', 'openai/o3', 'openai/gpt-4o-search-preview', 'local/llama3'];

describe('calls without the SDK', () => {
  it.each(models)('of %s send what the SDK sends, byte for byte', async (name) => {
    const answers = [JSON.stringify(plain)];
    const [direct, sdk] = [
      await exchanges(name, true, requests, answers),
      await exchanges(name, false, requests, answers),
    ];
    expect(direct).toEqual(sdk);
    expect(direct.received).toHaveLength(requests.length);
  });

  it('are written by the SDK once for each kind', async () => {
    const { connection, received } = await connect('openai', [JSON.stringify(plain)]);
    let written = 0;
    const model = withDirectCalls(connection.fetch, readPlainChatAnswer, (fetch) => {
      const sdk = sdks.openai?.('gpt-4o-mini', { ...connection, fetch }) ?? never();
      return {
        doGenerate(options) {
          written++;
          return sdk.doGenerate(options);
        },
      };
    });
    const texts = Array.from({ length: 20 }, (_, index) => `Question ${index}`);
    const answered = texts.map((text) =>
      model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text }] }] }),
    );
    await Promise.all(answered);
    expect(received).toHaveLength(20);
    expect(written).toBe(2);
  });

  it('are left to an SDK that writes more of a text than the text', async () => {
    const { connection, received } = await connect('openai', [JSON.stringify(plain)]);
    const model = withDirectCalls(connection.fetch, readPlainChatAnswer, (fetch) => ({
      async doGenerate({ prompt, abortSignal = null }) {
        const text = JSON.stringify(prompt);
        const body = JSON.stringify({ messages: prompt, characters: text.length });
        const response = await fetch(connection.baseUrl, { method: 'POST', body, signal: abortSignal });
        return readPlainChatAnswer(await response.text()) ?? never();
      },
    }));
    for (const text of ['short', 'a longer one']) {
      await model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text }] }] });
    }
    const bodies = received.map((request) => JSON.parse((request as { body: string }).body));
    expect(bodies.map(({ messages, characters }) => characters - JSON.stringify(messages).length)).toEqual([0, 0]);
  });

  it.each(['openai/gpt-4o-mini', 'local/llama3'])(
    'of %s come to the result of the SDK for any answer',
    async (name) => {
      const documents: unknown[] = [
        plain,
        { ...plain, usage: null, model: null },
        { choices: [choice] },
        { ...plain, usage: { ...usage, prompt_tokens_details: { cached_tokens: 5 }, completion_tokens_details: {} } },
        { ...plain, usage: { ...usage, completion_tokens_details: { reasoning_tokens: 2, other: 'x' } } },
        { ...plain, usage: { prompt_tokens: '12' } },
        { ...plain, usage: {} },
        { ...plain, choices: [] },
        { ...plain, choices: [choice, choice] },
        { ...plain, choices: 'none' },
        { ...plain, model: 7 },
        { error: { message: 'no such model' } },
        [plain],
        ...['length', 'content_filter', 'tool_calls', 'strange', null, 7].map((finish_reason) => ({
          ...plain,
          choices: [{ ...choice, finish_reason }],
        })),
        ...[
          { role: 'assistant', content: '' },
          { role: 'assistant', content: null },
          { role: 'user', content: 'Blue' },
          { content: 'Blue', refusal: null, annotations: [], tool_calls: [] },
          { content: 'Blue', refusal: 'I will not.' },
          { content: 'Blue', reasoning_content: 'Thinking' },
          { content: [{ type: 'text', text: 'Blue' }] },
          {
            content: null,
            tool_calls: [{ id: 't', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
          },
        ].map((said) => ({ ...plain, choices: [{ ...choice, message: said }] })),
        { ...plain, choices: [{ message, finish_reason: 'stop' }] },
        { ...plain, choices: [{ ...choice, logprobs: { content: 'x' } }] },
      ];
      const answers: Answer[] = [
        ...documents.map((document) => JSON.stringify(document)),
        JSON.stringify(plain).replace('"id"', '"__proto__":{"a":1},"id"'),
        JSON.stringify(plain).replace('Blue', 'Bl\\u00fce constructor'),
        '',
        '<html>Bad gateway</html>',
        JSON.stringify(plain).slice(0, -20),
        ...[400, 401, 404, 429, 500, 503].map((status) => (response: ServerResponse) => {
          response
            .writeHead(status, { 'retry-after': '3' })
            .end(JSON.stringify({ error: { message: `status ${status}` } }));
        }),
        (response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
        (response) => void response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'),
        (response) => void response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
        (response) => void response.destroy(),
      ];
      const each = answers.map((_, index) => question(`Question ${index}`, { system: 'Be brief.' }));
      const [direct, sdk] = [await exchanges(name, true, each, answers), await exchanges(name, false, each, answers)];
      expect(direct).toEqual(sdk);
      expect(direct.received).toHaveLength(answers.length);
    },
  );
});
