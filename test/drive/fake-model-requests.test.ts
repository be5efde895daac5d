import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedModel, type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { repetitions } from '../../src/testing/support/repetitions.ts';

const paths = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  gemini: '/v1beta/models/m:generateContent',
  count: '/v1/messages/count_tokens',
} as const;
const eachPath = Object.entries(paths);

async function started(script: Partial<ScriptSource> = {}): Promise<ScriptedModel> {
  const scripted = await startScriptedModel({ rules: [{ reply: 'ok' }], ...script });
  onTestFinished(() => scripted[Symbol.asyncDispose]());
  return scripted;
}

function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...headers } });
}

const hello = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };

describe('requests that a provider refuses', () => {
  it.each([
    ['chat', { error: { message: expect.any(String), type: 'invalid_request_error', param: null, code: null } }],
    ['responses', { error: { message: expect.any(String), type: 'invalid_request_error', param: null, code: null } }],
    ['messages', { type: 'error', error: { type: 'invalid_request_error', message: expect.any(String) } }],
    ['gemini', { error: { code: 400, message: expect.any(String), status: 'INVALID_ARGUMENT' } }],
  ] as const)('%s has its own shape for them', async (path, shape) => {
    const { url } = await started();
    for (const body of ['{ "model": ', 'null', '[]', '"text"', '{}', '']) {
      const answer = await post(url + paths[path], body);
      expect(answer.status, body).toBe(400);
      expect(await answer.json(), body).toEqual(shape);
    }
  });

  it('are those of more than 20 MB', async () => {
    const { url } = await started();
    const tooLarge = JSON.stringify({ ...hello, padding: 'x'.repeat(21 * 1024 * 1024) });
    const answer = await post(url + paths.messages, tooLarge);
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: { type: 'request_too_large' } });
    const large = JSON.stringify({ ...hello, padding: 'x'.repeat(19 * 1024 * 1024) });
    expect((await post(url + paths.messages, large)).status).toBe(200);
  });

  it('are those that are nested too deeply to be walked', async () => {
    const server = await started();
    const input = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const call = `{ "role": "assistant", "content": [{ "type": "tool_use", "id": "1", "name": "t", "input": ${input} }] }`;
    const answer = await post(server.url + paths.messages, `{ "model": "m", "messages": [${call}] }`);
    expect(answer.status).toBe(400);
    expect((await fetch(`${server.url}/__log`)).status).toBe(200);
  });

  it('are to paths that there are not', async () => {
    const { url, log } = await started();
    const answer = await post(`${url}/v1/audio/speech`, {});
    expect(answer.status).toBe(404);
    expect(log()).toMatchObject([{ path: '/v1/audio/speech', refusal: 'There is no POST /v1/audio/speech here.' }]);
    expect(await answer.json()).toMatchObject({ error: { message: 'There is no POST /v1/audio/speech here.' } });
  });
});

describe('hostile requests', () => {
  const odd = fc.jsonValue({ maxDepth: 3 });
  const item = fc.record(
    {
      role: fc.oneof(fc.constantFrom('user', 'assistant', 'tool', 'system', 'model'), odd),
      type: fc.constantFrom('function_call', 'function_call_output', 'message', 'item_reference', 7),
      content: odd,
      parts: fc.oneof(fc.array(fc.record({ functionCall: odd, functionResponse: odd, text: odd })), odd),
      tool_calls: fc.oneof(fc.array(fc.record({ id: odd, function: odd })), odd),
      output: odd,
      arguments: odd,
    },
    { requiredKeys: [] },
  );
  const list = fc.oneof(fc.array(fc.oneof(item, odd)), odd);
  const oddBody = fc.record(
    {
      model: fc.oneof(fc.constant('m'), odd),
      messages: list,
      input: list,
      contents: list,
      system: odd,
      systemInstruction: odd,
      tools: odd,
      tool_choice: odd,
      toolConfig: odd,
      stream: fc.boolean(),
      stream_options: odd,
      previous_response_id: odd,
    },
    { requiredKeys: [] },
  );

  it.each(eachPath)('%s answers or refuses whatever JSON it is sent', async (_, path) => {
    const { url } = await started();
    const property = fc.asyncProperty(oddBody, async (body) => {
      const answer = await post(url + path, body);
      await answer.text();
      expect([200, 400]).toContain(answer.status);
    });
    await fc.assert(property, { seed: 21, numRuns: repetitions({ usual: 30, inFull: 150 }) });
  });

  it('of no known protocol are cut off, and others still answered', async () => {
    const { url } = await started();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.resume().write('\u0000\u0001 junk\r\n\r\n');
    await once(socket, 'close');
    const half = connect(Number(new URL(url).port), '127.0.0.1');
    half.write('POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{', () => half.destroy());
    await once(half, 'close');
    expect((await post(url + paths.chat, hello)).status).toBe(200);
  });

  it('come in any number', async () => {
    const server = await started({ delayMs: 20 });
    const answers = await Promise.all(Array.from({ length: 500 }, () => post(server.url + paths.chat, hello)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(server.log().length).toBe(500);
  });
});

describe('instructions', () => {
  const question = { role: 'user', content: 'Hello' };
  const instruction = { role: 'system', content: 'Be brief' };
  it.each([
    ['chat', { model: 'm', messages: [question, instruction] }],
    ['chat', { model: 'm', messages: [{ ...instruction, role: 'developer' }, question] }],
    ['responses', { model: 'm', instructions: 'Be brief', input: 'Hello' }],
    ['responses', { model: 'm', input: [{ ...instruction, role: 'developer' }, question] }],
    ['messages', { model: 'm', system: [{ type: 'text', text: 'Be brief' }], messages: [question] }],
    ['messages', { model: 'm', messages: [question, instruction] }],
    [
      'gemini',
      {
        systemInstruction: { parts: [{ text: 'Be brief' }] },
        contents: [{ role: 'user', parts: [{ text: 'thinking', thought: true }, { text: 'Hello' }] }],
      },
    ],
  ] as const)('of %s are the system prompt, wherever they stand: %j', async (path, body) => {
    const server = await started();
    await post(server.url + paths[path], body);
    expect(server.log()[0]?.conversation).toMatchObject({ system: 'Be brief', last: 'Hello', turn: 1 });
    expect(server.log()[0]?.conversation?.messages).toEqual([{ role: 'user', content: 'Hello' }]);
  });
});

describe('a tool that must be called', () => {
  const messages = [{ role: 'user', content: 'Hello' }];
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
  const functions = ['other', 'json'].map((name) => ({ type: 'function', function: { name } }));
  const named = ['other', 'json'].map((name) => ({ type: 'function', name }));
  const declared = [{ functionDeclarations: [{ name: 'json' }] }];
  const mode = (allowed: object): object => ({ functionCallingConfig: { mode: 'ANY', ...allowed } });
  it.each([
    ['chat', { messages, tools: functions, tool_choice: { type: 'function', function: { name: 'json' } } }],
    ['chat', { messages, tools: functions.slice(1), tool_choice: 'required' }],
    ['responses', { input: 'Hello', tools: named, tool_choice: { type: 'function', name: 'json' } }],
    ['responses', { input: 'Hello', tools: named.slice(1), tool_choice: 'required' }],
    ['messages', { messages, tools: named, tool_choice: { type: 'tool', name: 'json' } }],
    ['messages', { messages, tools: named.slice(1), tool_choice: { type: 'any' } }],
    ['gemini', { contents, tools: declared, toolConfig: mode({ allowedFunctionNames: ['json'] }) }],
    ['gemini', { contents, tools: declared, toolConfig: mode({}) }],
  ] as const)('gets the JSON of %s as its input: %j', async (path, body) => {
    const server = await started({ rules: [{ reply: { json: { verdict: true } } }] });
    await post(server.url + paths[path], { model: 'm', ...body });
    expect(server.log()[0]?.reply).toMatchObject({ text: '', toolCalls: [{ tool: 'json', input: { verdict: true } }] });
  });

  it('is called only when it must be', async () => {
    const server = await started({ rules: [{ reply: { json: [1] } }] });
    await post(server.url + paths.chat, { model: 'm', messages, tools: functions, tool_choice: 'required' });
    await post(server.url + paths.chat, { model: 'm', messages, tools: functions.slice(1), tool_choice: 'auto' });
    expect(server.log().map(({ reply }) => [reply?.text, reply?.toolCalls.length])).toEqual([
      ['[1]', 0],
      ['[1]', 0],
    ]);
  });
});

describe('other endpoints', () => {
  it('list the model as each provider does', async () => {
    const { url } = await started({ model: 'scripted-1' });
    const get = async (path: string, headers = {}): Promise<unknown> => (await fetch(url + path, { headers })).json();
    expect(await get('/v1/models')).toMatchObject({ object: 'list', data: [{ id: 'scripted-1', object: 'model' }] });
    expect(await get('/v1/models', { 'anthropic-version': '2023-06-01' })).toMatchObject({
      data: [{ type: 'model', id: 'scripted-1' }],
      has_more: false,
    });
    expect(await get('/v1beta/models')).toMatchObject({ models: [{ name: 'models/scripted-1' }] });
  });

  it('count tokens', async () => {
    const { url } = await started();
    expect(await (await post(`${url}/v1/messages/count_tokens`, hello)).json()).toEqual({ input_tokens: 2 });
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    expect(await (await post(`${url}/v1beta/models/m:countTokens`, { contents })).json()).toEqual({ totalTokens: 2 });
  });

  it('stream Gemini as one list when no events are asked for', async () => {
    const { url } = await started();
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    const answer = await post(`${url}/v1beta/models/m:streamGenerateContent`, { contents });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toMatchObject([
      { candidates: [{ content: { parts: [{ text: 'o' }] } }] },
      { candidates: [{ content: { parts: [{ text: 'k' }] }, finishReason: 'STOP' }] },
    ]);
  });

  it('know the custom tools of Responses, which take text', async () => {
    const { url } = await started({ rules: [{ toolCalls: [{ name: 'apply_patch', input: '*** Begin Patch' }] }] });
    const tools = [{ type: 'custom', name: 'apply_patch' }];
    const body = { model: 'm', input: 'Hello', tools };
    expect(await (await post(url + paths.responses, body)).json()).toMatchObject({
      output: [{ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' }],
    });
    const streamed = await (await post(url + paths.responses, { ...body, stream: true })).text();
    expect(streamed).toContain('event: response.custom_tool_call_input.delta');
  });

  it('calls a tool of a group with the name of the group', async () => {
    const { url } = await started({
      rules: [{ when: { tool: 'forecast' }, toolCalls: [{ name: 'forecast', input: { city: 'Oslo' } }] }],
    });
    const group = { type: 'namespace', name: 'mcp__weather', tools: [{ type: 'function', name: 'forecast' }] };
    const answer = await post(url + paths.responses, { model: 'm', input: 'Hello', tools: [group] });
    expect(await answer.json()).toMatchObject({
      output: [{ type: 'function_call', name: 'forecast', namespace: 'mcp__weather' }],
    });
  });

  it('send usage in a stream of chat completions only when asked to', async () => {
    const { url } = await started();
    const ask = async (options: object): Promise<string> =>
      (await post(url + paths.chat, { ...hello, stream: true, ...options })).text();
    expect(await ask({})).not.toContain('usage');
    expect(await ask({ stream_options: { include_usage: true } })).toContain('"total_tokens":3');
  });
});

describe('the log', () => {
  it('shows what was asked over HTTP, and no keys', async () => {
    const { url } = await started();
    await post(url + paths.chat, hello, { authorization: 'Bearer sk-secret' });
    await post(`${url}${paths.gemini}?key=sk-secret`, { contents: [] });
    await post(url + paths.messages, '{');
    const text = await (await fetch(`${url}/__log`)).text();
    expect(JSON.parse(text)).toMatchObject({
      total: 3,
      requests: [
        { number: 1, path: 'chat', hasKey: true, conversation: { last: 'Hello' }, rule: 1, reply: { text: 'ok' } },
        { number: 2, path: 'gemini', hasKey: true },
        {
          number: 3,
          path: 'messages',
          hasKey: false,
          conversation: null,
          refusal: expect.stringContaining('not JSON'),
        },
      ],
    });
    expect(text).not.toContain('sk-secret');
  });

  it('begins anew after a reset, and so do the rules', async () => {
    const { url } = await started({ rules: [{ reply: 'first', times: 1 }, { reply: 'later' }] });
    const ask = async (): Promise<unknown> => (await post(url + paths.chat, hello)).json();
    const firstly = { choices: [{ message: { content: 'first' } }] };
    expect(await ask()).toMatchObject(firstly);
    expect(await ask()).not.toMatchObject(firstly);
    expect((await post(`${url}/__reset`, '')).status).toBe(200);
    expect(await (await fetch(`${url}/__log`)).json()).toEqual({ total: 0, requests: [] });
    expect(await ask()).toMatchObject(firstly);
  });
});

describe('startScriptedModel', () => {
  it('refuses a script that cannot be used', async () => {
    const starting = startScriptedModel({ rules: [{ reply: 'x', times: 0 }] });
    await expect(starting).rejects.toMatchObject({ code: 'FILE_INVALID', message: expect.stringContaining('times') });
  });

  it('closes every connection when it is disposed of, whatever is under way', async () => {
    const server = await startScriptedModel({ rules: [{ fault: 'stall' }] });
    const asking = post(server.url + paths.chat, hello);
    await expect.poll(() => server.log().length).toBe(1);
    await Promise.all([expect(asking).rejects.toThrow(), server[Symbol.asyncDispose]()]);
    await expect(fetch(server.url)).rejects.toThrow();
  });
});
