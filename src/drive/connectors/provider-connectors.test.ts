import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Message } from '../../domain/message.ts';
import { asking, goingOn, opened } from '../../testing/fakes/connectors/opened.ts';
import { bodyOf, reply, serve } from '../../testing/support/http-server.ts';
import { type ScriptedModel, type ScriptSource, startScriptedModel } from '../models/scripted/index.ts';
import type { ConnectorKind } from './connector.ts';
import { anthropicConnector, openaiChatConnector, openaiResponsesConnector } from './providers.ts';

interface Provider {
  readonly kind: ConnectorKind;
  readonly keyVariable: string;
  readonly baseUrlVariable: string;
}

const providers: readonly [string, Provider][] = [
  ['openai-chat', { kind: openaiChatConnector, keyVariable: 'OPENAI_API_KEY', baseUrlVariable: 'OPENAI_BASE_URL' }],
  [
    'openai-responses',
    { kind: openaiResponsesConnector, keyVariable: 'OPENAI_API_KEY', baseUrlVariable: 'OPENAI_BASE_URL' },
  ],
  ['anthropic', { kind: anthropicConnector, keyVariable: 'ANTHROPIC_API_KEY', baseUrlVariable: 'ANTHROPIC_BASE_URL' }],
];

async function scripted(script: ScriptSource): Promise<ScriptedModel> {
  const model = await startScriptedModel(script);
  onTestFinished(() => model[Symbol.asyncDispose]());
  return model;
}

const key = 'sk-0123456789abcdefghij';

describe.each(providers)('%s', (type, { kind, keyVariable, baseUrlVariable }) => {
  const openAt = (url: string, config: object = {}, headers: Record<string, string> = {}) =>
    opened(kind, { model: 'm-1', ...config }, { env: { [baseUrlVariable]: url, [keyVariable]: key }, headers });

  it.each([false, true])('answers with text, calls, usage and model; streamed: %s', async (stream) => {
    const rules = [
      {
        when: { system: 'You book.', last: 'Monday' },
        reply: 'One moment, 世界.',
        toolCalls: [{ name: 'book', input: { day: 'Monday' } }],
        usage: { input: 30, output: 12 },
        chunks: 5,
      },
    ];
    const { url } = await scripted({ apiKey: key, rules });
    const connector = await openAt(url, { instructions: 'You book.', stream });
    const answer = await connector.invoke(asking('Monday, please'));
    expect(answer).toMatchObject({
      messages: [
        {
          role: 'assistant',
          content: 'One moment, 世界.',
          tool_calls: [{ type: 'function', function: { name: 'book', arguments: '{"day":"Monday"}' } }],
        },
      ],
      usage: { inputTokens: 30, outputTokens: 12 },
      model: 'm-1',
      latencyMs: expect.any(Number),
    });
    expect(answer.timeToFirstTokenMs !== undefined).toBe(stream);
    expect(JSON.stringify(answer.raw)).not.toContain(key);
  });

  it.each([false, true])('holds a conversation with calls from its history; streamed: %s', async (stream) => {
    const model = await scripted({
      rules: [
        { when: { turn: 1 }, reply: 'Which day?', toolCalls: [{ name: 'calendar', input: {} }] },
        { when: { turn: 2, toolResult: 'not run' }, reply: 'Booked.' },
      ],
    });
    const connector = await openAt(model.url, { stream });
    const first = asking('Book it');
    const { messages } = await connector.invoke(first);
    const second = goingOn(first, messages, 'Monday');
    expect((await connector.invoke(second)).messages).toMatchObject([{ content: 'Booked.' }]);
    expect(model.log()).toHaveLength(2);
  });

  it('keeps conversations apart', async () => {
    const { url } = await scripted({
      rules: [
        { when: { turn: 1 }, reply: 'first' },
        { when: { turn: 2 }, reply: 'second' },
      ],
    });
    const connector = await openAt(url);
    const [a, b] = [asking('Hello', { conversationId: 'a' }), asking('Hello', { conversationId: 'b' })];
    const { messages } = await connector.invoke(a);
    expect((await connector.invoke(b)).messages).toMatchObject([{ content: 'first' }]);
    expect((await connector.invoke(goingOn(a, messages, 'More'))).messages).toMatchObject([{ content: 'second' }]);
  });

  it('asks the model of the variant', async () => {
    const { url } = await scripted({ rules: [{ when: { model: 'm-2' }, reply: 'Hi' }] });
    const connector = await openAt(url);
    expect((await connector.invoke(asking('Hello', { model: 'm-2' }))).messages).toMatchObject([{ content: 'Hi' }]);
  });

  it.each([
    [{ fault: 'empty' }, /TARGET_(OUTPUT_NOT_JSON|CRASHED)/],
    [{ fault: 'junk' }, /TARGET_(OUTPUT_NOT_JSON|CRASHED)/],
    [{ fault: 'html' }, /TARGET_OUTPUT_NOT_JSON/],
    [{ reply: 'Hello there', fault: 'halfJson' }, /TARGET_(OUTPUT_NOT_JSON|CRASHED)/],
    [{ fault: 'reset' }, /TARGET_UNREACHABLE/],
    [{ reply: 'Hello there', fault: 'reset' }, /TARGET_CRASHED/],
    [{ fault: { status: 500 } }, /TARGET_CRASHED/],
    [{ fault: { status: 429 } }, /TARGET_UNREACHABLE/],
    [{ fault: { status: 401 } }, /TARGET_UNREACHABLE/],
  ] as const)('says what is wrong after %j', async (rule, code) => {
    const { url } = await scripted({ rules: [rule] });
    for (const stream of [false, true]) {
      const connector = await openAt(url, { stream });
      const error = await connector.invoke(asking('Hello')).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: expect.stringMatching(code),
        message: expect.stringMatching(/^POST http:\/\/127\.0\.0\.1:\d+\/v1\//),
      });
      expect(String(error)).not.toContain(key);
    }
  });

  it('sends further fields, and the headers of the connector before the key of the environment', async () => {
    let received: { headers: unknown; body: unknown } = { headers: {}, body: {} };
    const url = await serve(async (request, response) => {
      received = { headers: request.headers, body: JSON.parse(await bodyOf(request)) };
      response.writeHead(400).end('enough');
    });
    const connector = await openAt(
      url,
      { temperature: 0.5, maxTokens: 9, body: { top_p: 0.1 }, tools: [{ name: 'book' }] },
      { Authorization: 'Bearer other' },
    );
    await expect(connector.invoke(asking('Hello'))).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' });
    expect(received.body).toMatchObject({ model: 'm-1', temperature: 0.5, top_p: 0.1, tools: [{ name: 'book' }] });
    expect(Object.values(received.body as object)).toContain(9);
    expect(received.headers).toMatchObject({ authorization: 'Bearer other' });
    expect(JSON.stringify(received.headers)).not.toContain(key);
  });

  it('wants a key for the provider itself, a usable base URL and a model', async () => {
    await expect(opened(kind, { model: 'm' })).rejects.toMatchObject({
      code: 'TARGET_NOT_LOADED',
      message: expect.stringContaining(keyVariable),
    });
    await expect(opened(kind, { model: 'm' }, { baseUrl: 'localhost:80' })).rejects.toMatchObject({
      code: 'TARGET_NOT_LOADED',
    });
    const connector = await opened(kind, {}, { baseUrl: 'http://127.0.0.1:9' });
    await expect(connector.invoke(asking('Hello'))).rejects.toMatchObject({
      code: 'TARGET_NOT_LOADED',
      message: expect.stringContaining(type),
    });
  });

  it('refuses answers of another shape', async () => {
    const url = await serve(
      reply(200, '{"content":"Hi","choices":{},"output":3}', { 'content-type': 'application/json' }),
    );
    const connector = await openAt(url);
    await expect(connector.invoke(asking('Hello'))).rejects.toMatchObject({
      code: 'TARGET_NO_MESSAGE',
      message: expect.stringContaining('contains no message'),
    });
  });

  it('reads a stream the same wherever it is cut', async () => {
    const rules = [{ reply: 'Grüße 👋', toolCalls: [{ name: 'book', input: { day: 'Монд' } }], chunks: 3 }];
    const { url } = await scripted({ rules });
    let recorded = Buffer.alloc(0);
    const through = await serve(async (request, response) => {
      const { authorization = '', 'x-api-key': apiKey = '' } = request.headers;
      const body = await bodyOf(request);
      const answer = await fetch(`${url}${request.url}`, {
        method: 'POST',
        body,
        headers: { authorization, 'x-api-key': String(apiKey), 'content-type': 'application/json' },
      });
      recorded = Buffer.from(await answer.arrayBuffer());
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(recorded);
    });
    const whole = await (await openAt(through, { stream: true })).invoke(asking('Hello'));
    let step = 1;
    const cut = await serve(async (_, response) => {
      response.socket?.setNoDelay(true);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let at = 0; at < recorded.length; at += step) {
        response.write(recorded.subarray(at, at + step));
        await nextTurn();
      }
      response.end();
    });
    const connector = await openAt(cut, { stream: true });
    for (step of [1, 2, 7]) {
      const { messages, usage } = await connector.invoke(asking('Hello', { conversationId: `cut-${step}` }));
      expect({ messages, usage }).toEqual({ messages: whole.messages, usage: whole.usage });
    }
  });
});

/** The body that a connector sends for a conversation. */
async function bodySent(
  kind: ConnectorKind,
  config: object,
  messages: readonly Message[],
): Promise<Record<string, unknown>> {
  let body = '';
  const baseUrl = await serve(async (request, response) => {
    body = await bodyOf(request);
    response.writeHead(400).end();
  });
  const connector = await opened(kind, { model: 'm', ...config }, { baseUrl });
  await connector.invoke(asking('', { messages })).catch(() => undefined);
  return JSON.parse(body) as Record<string, unknown>;
}

describe('what providers are sent', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'book', arguments: '{"day":' } } as const;
  const talk: Message[] = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hello', metadata: { ours: 1 }, id: 'x' },
    { role: 'user', content: 'Book it' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
    { role: 'assistant', content: 'Booked.' },
    { role: 'user', content: [{ type: 'text', text: 'Thanks' }] },
  ];

  it('is a chat for OpenAI, with neighbours merged', async () => {
    expect(await bodySent(openaiChatConnector, { maxTokens: 5 }, talk)).toEqual({
      model: 'm',
      max_tokens: 5,
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hello\n\nBook it' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'done' },
        { role: 'assistant', content: 'Booked.' },
        { role: 'user', content: 'Thanks' },
      ],
    });
  });

  it('is for Anthropic without system messages, and arguments that are no JSON stay text', async () => {
    expect(await bodySent(anthropicConnector, { system: 'You book.' }, talk)).toEqual({
      model: 'm',
      max_tokens: 4096,
      system: 'You book.\n\nBe kind.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hello' },
            { type: 'text', text: 'Book it' },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'book', input: { arguments: '{"day":' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'done' }] },
        { role: 'assistant', content: 'Booked.' },
        { role: 'user', content: 'Thanks' },
      ],
    });
  });

  it('is a list of items for Responses', async () => {
    expect(await bodySent(openaiResponsesConnector, { instructions: 'You book.' }, talk)).toEqual({
      model: 'm',
      instructions: 'You book.',
      input: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hello\n\nBook it' },
        { type: 'function_call', call_id: 'c1', name: 'book', arguments: '{"day":' },
        { type: 'function_call_output', call_id: 'c1', output: 'done' },
        { role: 'assistant', content: 'Booked.' },
        { role: 'user', content: 'Thanks' },
      ],
    });
  });
});

describe('Responses', () => {
  const response = (output: unknown[], rest: object = {}) =>
    JSON.stringify({ id: 'resp_1', model: 'm', status: 'completed', error: null, output, ...rest });

  it('sends what is new with the id of the last response, or everything when nothing is stored', async () => {
    const bodies: Record<string, unknown>[] = [];
    const baseUrl = await serve(async (request, answer) => {
      bodies.push(JSON.parse(await bodyOf(request)) as Record<string, unknown>);
      answer.end(response([{ type: 'message', content: [{ type: 'output_text', text: `Answer ${bodies.length}` }] }]));
    });
    for (const config of [{ model: 'm' }, { model: 'm', body: { store: false } }]) {
      const connector = await opened(openaiResponsesConnector, config, { baseUrl });
      const first = asking('One');
      const { messages, threadId } = await connector.invoke(first);
      expect(threadId).toBe('resp_1');
      await connector.invoke(goingOn(first, messages, 'Two'));
    }
    expect(bodies[1]).toMatchObject({ previous_response_id: 'resp_1', input: [{ role: 'user', content: 'Two' }] });
    expect(bodies[3]).not.toHaveProperty('previous_response_id');
    expect(bodies[3]?.input).toHaveLength(3);
  });

  it('counts calls of the tools that the provider has itself', async () => {
    const output = [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { query: 'weather' } },
      { type: 'mcp_call', id: 'mcp_1', name: 'lookup', arguments: '{"a":1}', output: 'found' },
      { type: 'reasoning', id: 'r', summary: [] },
      { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Sunny' }] },
    ];
    const connector = await opened(
      openaiResponsesConnector,
      { model: 'm' },
      { baseUrl: await serve(reply(200, response(output))) },
    );
    expect((await connector.invoke(asking('Weather?'))).messages).toEqual([
      {
        role: 'assistant',
        content: 'Sunny',
        tool_calls: [
          {
            id: 'ws_1',
            type: 'function',
            function: { name: 'web_search', arguments: '{"query":"weather"}' },
          },
          { id: 'mcp_1', type: 'function', function: { name: 'lookup', arguments: '{"a":1}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'mcp_1', name: 'lookup', content: 'found' },
    ]);
  });

  it('is an error where the response says so', async () => {
    const body = response([], { status: 'failed', error: { message: 'the model is tired' } });
    const connector = await opened(
      openaiResponsesConnector,
      { model: 'm' },
      { baseUrl: await serve(reply(200, body)) },
    );
    await expect(connector.invoke(asking('Hello'))).rejects.toMatchObject({
      code: 'TARGET_CRASHED',
      message: expect.stringContaining('the model is tired'),
    });
  });
});
