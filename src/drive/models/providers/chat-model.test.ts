import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpClient } from '../../../shared/http/http-client.ts';
import { bodyOf, serve } from '../../../testing/support/http-server.ts';
import { question, secretKey } from '../../../testing/support/models.ts';
import { systemClock } from '../../pacing/clock.ts';
import { openaiChat } from '../../wire/openai-chat/codec.ts';
import { fetchThrough } from '../http-fetch.ts';
import type { ModelRequest } from '../model.ts';
import { modelsConfigSchema } from '../models-config.ts';
import type { Connection, ReplyModel } from '../provider.ts';
import { providerModel } from '../provider-model.ts';
import { resolveModel } from '../resolve-model.ts';
import { sdkModel } from '../sdk-model.ts';
import { openai, openaiCompatible } from './openai.ts';
import { hasStrictSchema } from './strict-schema.ts';

const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
const message = { role: 'assistant', content: 'Blue "sky"\n' };
const answer = {
  id: 'c1',
  model: 'answered-as',
  created: 1,
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage,
};

/** Connections to a server that always gives one answer, and the bodies that it gets. */
async function connect(body: unknown = answer) {
  const received: unknown[] = [];
  const url = await serve(async (request, response) => {
    received.push(JSON.parse(await bodyOf(request)));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  const client = new HttpClient({ env: {} });
  onTestFinished(() => client[Symbol.dispose]());
  const config = modelsConfigSchema.parse({ providers: { local: { baseUrl: url } } }).providers.local;
  if (!config) throw new Error('the config has no such provider');
  const connection: Connection = {
    ...{ name: 'local', baseUrl: `${url}/v1`, apiKey: secretKey, headers: {}, config, env: {} },
    fetch: fetchThrough(client),
  };
  return { received, connection };
}

const schema = {
  type: 'object',
  properties: { pass: { type: 'boolean' }, notes: { type: 'array', items: { type: 'string' } } },
  required: ['pass', 'notes'],
  additionalProperties: false,
};
const odd = `"messages" \\ \u2028 é 漢 ${'x'.repeat(500)}`;
const tools = [{ name: 'weather', description: 'Gives the weather.', inputSchema: schema }];
const image = { name: 'a.png', mediaType: 'image/png', sha256: 'x', bytes: 3, read: () => new Uint8Array([1, 2, 3]) };
const document = { ...image, name: 'a.pdf', mediaType: 'application/pdf' };
const note = { ...image, name: 'a.txt', mediaType: 'text/plain' };

const requests: readonly ModelRequest[] = [
  question('Hi'),
  question(odd, { system: odd }),
  question('user', { system: 'system', temperature: 0, maxOutputTokens: 100, seed: 7 }),
  question('Verdict?', { system: 'a', output: { name: 'verdict', schema }, temperature: 0 }),
  question('Verdict!', { output: { name: 'other', schema: { ...schema, required: [] } } }),
  question('Is it sunny?', { tools }),
  {
    tools,
    messages: [
      { role: 'user', content: 'Sunny?', files: [image, document, note] },
      { role: 'assistant', content: '', toolCalls: [{ callId: 'c', tool: 'weather', input: { city: 'Oslo' } }] },
      { role: 'tool', callId: 'c', tool: 'weather', content: 'rain' },
      { role: 'assistant', content: 'No.' },
      { role: 'user', content: 'Thanks' },
    ],
  },
];

async function bodiesOf(open: (connection: Connection) => Promise<ReplyModel> | ReplyModel): Promise<unknown[]> {
  const { received, connection } = await connect();
  const model = await open(connection);
  for (const request of requests) await model.send(request, new AbortController().signal);
  return received;
}

describe('requests to a chat API', () => {
  it.each(['gpt-4o-mini', 'gpt-5', 'gpt-5-chat-latest', 'gpt-5.1', 'o3', 'gpt-4o-search-preview'])(
    'of OpenAI for %s are those of its SDK',
    async (model) => {
      const sdk = await bodiesOf(({ baseUrl: baseURL, apiKey, fetch }) =>
        sdkModel(createOpenAI({ baseURL, apiKey, fetch }).chat(model), openaiChat, (request) => ({
          openai: { store: false, strictJsonSchema: hasStrictSchema(request) },
        })),
      );
      expect(await bodiesOf((connection) => openai.open(model, connection))).toEqual(sdk);
    },
  );

  it.each([true, false])(
    'of another server are those of its SDK; structured outputs: %s',
    async (supportsStructuredOutputs) => {
      const sdk = await bodiesOf(({ baseUrl: baseURL, apiKey, fetch }) =>
        sdkModel(
          createOpenAICompatible({ name: 'local', baseURL, apiKey, fetch, supportsStructuredOutputs })('llama3'),
          openaiChat,
          (request) => ({ openaiCompatible: { strictJsonSchema: hasStrictSchema(request) } }),
        ),
      );
      const ours = await bodiesOf(({ config, ...connection }) =>
        openaiCompatible.open('llama3', {
          ...connection,
          config: { ...config, structuredOutputs: supportsStructuredOutputs },
        }),
      );
      expect(ours).toEqual(sdk);
    },
  );
});

async function replyTo(body: unknown) {
  const { connection } = await connect(body);
  const config = modelsConfigSchema.parse({});
  const model = providerModel(resolveModel('openai/gpt-4o', config), {
    open: () => openai.open('gpt-4o', connection),
    openEmbedding: () => Promise.reject(new Error('not needed')),
    price: async () => null,
    takesImages: true,
    redact: (text) => text,
    clock: systemClock,
  });
  return model.generate(question('Hi'), new AbortController().signal);
}

describe('replies of a chat API', () => {
  it('have what the provider said, and nothing that it did not', async () => {
    expect(await replyTo(answer)).toMatchObject({
      text: 'Blue "sky"\n',
      finishReason: 'stop',
      respondedAs: 'answered-as',
      usage: { inputTokens: 12, outputTokens: 3 },
    });
    const { usage: unknown, gaps, costUsd } = await replyTo({ ...answer, usage: undefined });
    expect([unknown, gaps, costUsd]).toEqual([{}, undefined, null]);
    expect((await replyTo({ ...answer, usage: { completion_tokens: 3 } })).usage).toEqual({ outputTokens: 3 });
  });

  it('say what was lost of them', async () => {
    const cut = await replyTo({ ...answer, choices: [{ index: 0, message, finish_reason: 'length' }] });
    expect(cut).toMatchObject({ finishReason: 'length', gaps: [{ channels: ['answers', 'tool-calls'] }] });
    const odd = await replyTo({ ...answer, usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 3 } });
    expect(odd).toMatchObject({ usage: {}, gaps: [{ channels: ['usage', 'cost'] }] });
  });

  it('that are none are refused', async () => {
    for (const body of [{ choices: [] }, { error: { message: 'no such model' } }, [answer]]) {
      await expect(replyTo(body)).rejects.toMatchObject({ code: 'MODEL_BAD_REPLY' });
    }
  });
});
