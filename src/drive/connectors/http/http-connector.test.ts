import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../domain/message.ts';
import { asking, goingOn, opened } from '../../../testing/fakes/connectors/opened.ts';
import { bodyOf, reply, routes, serve } from '../../../testing/support/http-server.ts';
import { httpConnector } from './http-connector.ts';

const json = { 'content-type': 'application/json' };

/** Answer of an endpoint with this body to a question. */
async function answerTo(body: unknown, config: unknown = {}, type = 'application/json') {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const baseUrl = await serve(reply(200, text, { 'content-type': type }));
  const connector = await opened(httpConnector, config, { baseUrl });
  return connector.invoke(asking('Hello'));
}

/** An endpoint that answers with the request it got. */
const echo: RequestListener = async (request, response) => {
  const { method, url, headers } = request;
  const body = await bodyOf(request);
  response.writeHead(200, json).end(JSON.stringify({ content: 'seen', method, url, headers, body }));
};

function seenBy({ raw }: { raw?: { response: unknown } | undefined }) {
  const { response } = raw ?? {};
  return JSON.parse((response as { body: string }).body) as {
    method: string;
    url: string;
    headers: Record<string, string>;
    body: string;
  };
}

describe('an HTTP agent', () => {
  const hi: Message = { role: 'assistant', content: 'Hi' };
  const call = { id: 'c1', type: 'function', function: { name: 'book', arguments: '{}' } } as const;

  it.each<[string, unknown, readonly Message[]]>([
    ['{message:{content}}', { message: { role: 'assistant', content: 'Hi' } }, [hi]],
    ['{content}', { content: 'Hi' }, [hi]],
    ['{response}', { response: 'Hi' }, [hi]],
    ['{message} beside {response}', { message: 'ok', response: 'Hi' }, [hi]],
    ['the whole conversation', { messages: [{ role: 'user', content: 'Hello' }, hi] }, [hi]],
    [
      'the whole conversation with a prompt',
      { messages: [{ role: 'system', content: 'Be kind' }, { role: 'user', content: 'Hello' }, hi] },
      [hi],
    ],
    [
      'only new messages',
      {
        messages: [
          { role: 'assistant', content: '', tool_calls: [call] },
          { role: 'tool', content: '1', tool_call_id: 'c1' },
          hi,
        ],
      },
      [{ role: 'assistant', content: '', tool_calls: [call] }, { role: 'tool', content: '1', tool_call_id: 'c1' }, hi],
    ],
    ['a JSON string', '"Hi"', [hi]],
    ['a list of messages', [hi], [hi]],
    ['an empty text', { content: '' }, [{ role: 'assistant', content: '' }]],
    [
      'a chat completion',
      { choices: [{ message: { role: 'assistant', content: 'Hi', tool_calls: [call] } }] },
      [{ ...hi, tool_calls: [call] }],
    ],
    [
      'calls beside the text',
      { content: 'Hi', tool_calls: [{ id: 'c1', name: 'book', args: {} }] },
      [{ ...hi, tool_calls: [call] }],
    ],
    ['calls and no text', { tool_calls: [call] }, [{ role: 'assistant', content: null, tool_calls: [call] }]],
  ])('is understood without a mapping: %s', async (_, body, messages) => {
    expect((await answerTo(body)).messages).toEqual(messages);
  });

  it.each([
    ['Hello there', 'text/plain'],
    ['Hello there', 'text/html; charset=utf-8'],
    ['{"a": 1}', 'text/plain'],
    ['42', 'text/plain'],
    ['Hello there', ''],
  ])('may answer with the text %j of type %j', async (body, type) => {
    expect((await answerTo(body, {}, type)).messages).toEqual([{ role: 'assistant', content: body }]);
  });

  it('reports usage, model, thread and latency', async () => {
    const answer = await answerTo({
      content: 'Hi',
      tokensUsage: { input_tokens: 800, output_tokens: 56 },
      model: 'm',
      threadId: 't',
      costUsd: 0.5,
    });
    expect(answer).toMatchObject({
      usage: { inputTokens: 800, outputTokens: 56 },
      model: 'm',
      threadId: 't',
      costUsd: 0.5,
    });
    expect(answer.latencyMs).toBeGreaterThan(0);
    expect(answer.timeToFirstTokenMs).toBeUndefined();
  });

  it('has no usage where none is reported', async () => {
    expect((await answerTo({ content: 'Hi' })).usage).toBeUndefined();
  });

  it('is read where the mapping says', async () => {
    const body = {
      out: [{ t: 'Good ' }, { t: 'day' }],
      did: [{ tool: 'book', params: { a: 1 } }],
      n: { i: 3, o: 4 },
      ref: 'r-1',
      llm: 'm',
    };
    const config = {
      response: {
        text: '$.out[*].t',
        toolCalls: '$.did',
        usage: { input: '$.n.i', output: '$.n.o' },
        threadId: '$.ref',
        model: '$.llm',
      },
    };
    expect(await answerTo(body, config)).toMatchObject({
      messages: [
        { role: 'assistant', content: 'Good day', tool_calls: [{ function: { name: 'book', arguments: '{"a":1}' } }] },
      ],
      usage: { inputTokens: 3, outputTokens: 4 },
      threadId: 'r-1',
      model: 'm',
    });
  });

  it('gives a value at the mapped place that is not text as JSON', async () => {
    expect((await answerTo({ data: { a: [1] } }, { response: { text: '$.data' } })).messages[0]?.content).toBe(
      '{"a":[1]}',
    );
  });

  it('is read from mapped messages', async () => {
    const answer = await answerTo(
      {
        chat: {
          log: [
            { role: 'user', content: 'Hello' },
            { type: 'ai', content: 'Hi' },
          ],
        },
      },
      { response: { messages: '$.chat.log' } },
    );
    expect(answer.messages).toEqual([hi]);
  });

  it('is not guessed at where the mapping finds nothing', async () => {
    await expect(answerTo({ content: 'Hi' }, { response: { text: '$.reply' } })).rejects.toMatchObject({
      code: 'TARGET_NO_MESSAGE',
      message: expect.stringContaining('contains no message'),
    });
  });

  it('is sent the conversation, without what is only for us', async () => {
    const connector = await opened(httpConnector, {}, { baseUrl: await serve(echo) });
    const messages: Message[] = [{ role: 'user', content: 'Hello', metadata: { ours: true } }];
    const answer = await connector.invoke(asking('', { messages }));
    expect(seenBy(answer)).toMatchObject({
      method: 'POST',
      url: '/',
      body: '{"messages":[{"role":"user","content":"Hello"}]}',
    });
    expect(answer.raw?.request).toMatchObject({
      method: 'POST',
      body: '{"messages":[{"role":"user","content":"Hello"}]}',
    });
  });

  it('is sent the body of the template', async () => {
    const config = {
      path: '/talk/{{conversationId}}?v=${VERSION}',
      method: 'PUT',
      body: {
        q: '{{message}}',
        all: '{{messages}}',
        n: '{{turn}}',
        who: 'turn {{ turn }} of {{conversationId}}',
        model: '{{model}}',
        thread: '{{threadId}}',
        fixed: [1, null],
      },
    };
    const connector = await opened(httpConnector, config, {
      baseUrl: `${await serve(echo)}/api/`,
      env: { VERSION: '2' },
    });
    const received = seenBy(await connector.invoke(asking('Hello', { conversationId: 'a/b', turn: 3, model: 'm' })));
    expect(received).toMatchObject({ method: 'PUT', url: '/api/talk/a%2Fb?v=2' });
    expect(JSON.parse(received.body)).toEqual({
      q: 'Hello',
      all: [{ role: 'user', content: 'Hello' }],
      n: 3,
      who: 'turn 3 of a/b',
      model: 'm',
      fixed: [1, null],
    });
  });

  it('gets the question in the query by GET', async () => {
    const config = { method: 'GET', body: { q: '{{message}}', n: '{{turn}}', model: '{{model}}' } };
    const connector = await opened(httpConnector, config, { baseUrl: `${await serve(echo)}/ask?key=1` });
    const answer = await connector.invoke(asking('a b'));
    expect(seenBy(answer)).toMatchObject({ method: 'GET', url: '/ask?key=1&q=a+b&n=1', body: '' });
    expect(answer.raw?.request).toMatchObject({ body: '{"q":"a b","n":1}', url: expect.not.stringContaining('?') });
  });

  it('gets the headers of the connector under those of the persona', async () => {
    const headers = { 'X-Who': 'us', 'X-Tenant': 'one', 'Content-Type': 'application/vnd.x+json' };
    const connector = await opened(httpConnector, {}, { baseUrl: await serve(echo), headers });
    const persona = { 'x-who': 'persona' };
    const received = seenBy(await connector.invoke(asking('Hello', { headers: persona })));
    expect(received.headers).toMatchObject({
      'x-who': 'persona',
      'x-tenant': 'one',
      'content-type': 'application/vnd.x+json',
    });
    expect(seenBy(await connector.invoke(asking('Hello'))).headers['x-who']).toBe('us');
  });

  it('gets back the id that it gave the conversation', async () => {
    let threads = 0;
    const baseUrl = await serve(async (request, response) => {
      const { thread } = JSON.parse(await bodyOf(request)) as { thread?: string };
      const id = thread ?? `thread-${++threads}`;
      response.writeHead(200, json).end(JSON.stringify({ content: thread ? `again ${thread}` : 'new', id }));
    });
    const config = {
      body: { q: '{{message}}', thread: '{{threadId}}' },
      response: { threadId: '$.id', text: '$.content' },
    };
    const connector = await opened(httpConnector, config, { baseUrl });
    const first = asking('Hello', { conversationId: 'a' });
    const { messages } = await connector.invoke(first);
    await connector.invoke(asking('Hello', { conversationId: 'b' }));
    const next = await connector.invoke(goingOn(first, messages, 'More'));
    expect(next).toMatchObject({ messages: [{ content: 'again thread-1' }], threadId: 'thread-1' });
  });

  it('keeps its connections', async () => {
    const ports = new Set<unknown>();
    const baseUrl = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('Hi');
    });
    const connector = await opened(httpConnector, {}, { baseUrl });
    for (let turn = 1; turn <= 200; turn++) await connector.invoke(asking('Hello', { turn }));
    expect(ports.size).toBeLessThan(100);
  });
});

describe('the config of an HTTP agent', () => {
  it.each([
    [{ body: { q: '{{mesage}}' } }, 'unknown placeholder `{{mesage}}`'],
    [{ path: '/{{id}}' }, 'unknown placeholder `{{id}}`'],
    [{ response: { text: 'reply' } }, 'begins with `$`'],
    [{ response: { usage: {} } }, 'at least one'],
    [{ method: 'DELETE' }, 'GET'],
    [{ pth: '/' }, 'pth'],
  ])('refuses %j', (config, message) => {
    expect(httpConnector.configSchema.safeParse(config).error?.message).toContain(message);
  });

  it.each([
    [{ response: { text: '$.[' } }, { baseUrl: 'http://127.0.0.1:1' }, /JSONPath `\$\.\[` for `response.text`/],
    [{}, {}, /no base URL/],
    [{}, { baseUrl: 'ftp://x' }, /not http or https/],
    [{}, { baseUrl: 'http://${HOST}' }, /needs HOST/],
    [{}, { baseUrl: 'http://x', headers: { 'x-a': 'a\nb' } }, /header "x-a" cannot be sent/],
    [{}, { baseUrl: 'http://x', headers: { 'Content-Length': '5' } }, /header "Content-Length" cannot be sent/],
  ])('cannot be opened with %j and %j', async (config, settings, message) => {
    await expect(opened(httpConnector, config, settings)).rejects.toMatchObject({
      code: 'TARGET_NOT_LOADED',
      message: expect.stringMatching(message),
    });
  });
});

describe('routes of one endpoint', () => {
  it('are reached below the base URL', async () => {
    const baseUrl = await serve(routes({ '/v1/chat': reply(200, '{"content":"Hi"}', json) }));
    for (const [base, path] of [
      [baseUrl, 'v1/chat'],
      [`${baseUrl}/v1/`, '/chat'],
      [`${baseUrl}/v1/chat`, ''],
    ]) {
      const connector = await opened(httpConnector, { path }, { baseUrl: base });
      expect((await connector.invoke(asking('Hello'))).messages).toHaveLength(1);
    }
  });
});
