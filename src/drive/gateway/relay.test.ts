import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { redactionOf } from '../../shared/redaction/redaction.ts';
import { apis, clients, send, testedGateway } from '../../testing/fakes/gateway.ts';
import { bodyOf, serve } from '../../testing/support/http-server.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { type ScriptSource, startScriptedModel } from '../models/scripted/index.ts';

const key = 'sk-the-real-key-0123456789';

async function scripted(
  rules: ScriptSource['rules'],
  options: Parameters<Awaited<ReturnType<typeof testedGateway>>['open']>[0] = {},
) {
  const model = await startScriptedModel({ apiKey: key, rules });
  const gateway = await testedGateway();
  const session = gateway.open(options);
  const address = session.addRoute({ baseUrl: new URL(model.url), keys: [key] });
  return { model, session, address, [Symbol.asyncDispose]: () => model[Symbol.asyncDispose]() };
}

const answer = { reply: 'Done, as you wished.', usage: { input: 1_234, output: 56 } };

describe.each(apis)('a call of %s', (api) => {
  it.each([true, false])(
    'has the tokens of its provider (streamed: %s), and passes the bytes through',
    async (isStreaming) => {
      await using parts = await scripted([answer]);
      const { session, address, model } = parts;
      const received = await (await send(address, api, isStreaming)).text();
      await session.conclude();
      const { path, body } = clients[api](isStreaming);
      const direct = await fetch(`${model.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      });
      const withoutIds = (text: string): string => text.replaceAll(/0000\d\d|"created(?:_at)?":\d+/g, '');
      expect(withoutIds(received)).toBe(withoutIds(await direct.text()));
      expect(session.of('usage')).toMatchObject([{ inputTokens: 1_234, outputTokens: 56, call: 1, seenBy: 'gateway' }]);
      const requested = api.startsWith('openai') ? 'gpt-x' : api === 'gemini' ? 'gemini-x' : 'claude-x';
      expect(session.of('model-call')).toMatchObject([
        { number: 1, api, model: requested, respondedAs: requested, status: 200, tools: ['Bash'], agentThread: 1 },
      ]);
      const [call] = session.of('model-call');
      expect(call?.error).toBeUndefined();
      expect(call?.stopReason).toBeDefined();
      expect(call?.timeToFirstTokenMs).toBeGreaterThan(0);
      expect(model.log()[0]).toMatchObject({ hasKey: true, refusal: null });
    },
  );

  it('that fails is passed on as it was, and the same request again is its retry', async () => {
    await using parts = await scripted([{ times: 1, fault: { status: 529, retryAfter: 7 } }, answer]);
    const { session, address } = parts;
    const failed = await send(address, api, true);
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([529, '7']);
    await failed.text();
    await (await send(address, api, true)).text();
    await session.conclude();
    expect(session.of('model-call')).toMatchObject([
      { number: 1, status: 529, error: { message: 'HTTP 529: The script answers with 529.' } },
      { number: 2, status: 200, retryOf: 1 },
    ]);
    expect(session.session.outages.fault(false)).toBeUndefined();
    expect(session.of('usage')).toHaveLength(1);
  });

  it('that breaks off in its stream breaks off for the agent, and is the fault of the model', async () => {
    await using parts = await scripted([{ ...answer, fault: 'reset' }]);
    const { session, address } = parts;
    const response = await send(address, api, true);
    await expect(response.text()).rejects.toThrow();
    await session.conclude();
    expect(session.of('model-call')).toMatchObject([
      { status: 200, error: { message: expect.stringContaining('broke off') } },
    ]);
    expect(session.of('usage')).toEqual([]);
    // Its cost is unknown.
    expect(session.of('gap')).toMatchObject([{ channels: ['usage', 'cost'], requests: 1 }]);
    expect(session.session.outages.fault(false)).toMatchObject({ code: 'MODEL_UNAVAILABLE', blame: 'model' });
  });

  it('that never answers waits, and is the fault of the model when the time is up', async () => {
    await using parts = await scripted([{ fault: 'stall' }]);
    const { session, address } = parts;
    const pending = send(address, api, true).catch((error: unknown) => error);
    while (session.session.callCount === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(session.session.silentMs).toBeGreaterThanOrEqual(0);
    session.session.outages.timeIsUp(30_000, 40_000);
    await session.conclude();
    expect(await pending).toBeInstanceOf(Error);
    expect(session.of('model-call')).toMatchObject([{ status: null }]);
    expect(session.session.outages.fault(true)).toMatchObject({ code: 'MODEL_TIMEOUT' });
  });
});

describe('the gateway', () => {
  it('reads compressed replies and passes them on compressed', async () => {
    const reply = JSON.stringify({
      model: 'gpt-x',
      choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    });
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(gzipSync(reply)),
    );
    const session = (await testedGateway()).open();
    const response = await send(session.addRoute({ baseUrl: new URL(url), keys: [key] }), 'openai-chat', false);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe(reply);
    await session.conclude();
    expect(session.of('usage')).toMatchObject([{ inputTokens: 3, outputTokens: 4 }]);
  });

  it('passes other requests through and lists them', async () => {
    await using parts = await scripted([answer]);
    const { session, address } = parts;
    const headers = { 'x-api-key': address.placeholders[0] ?? '' };
    const models = await fetch(`${address.url}/v1/models`, { headers });
    expect(await models.json()).toMatchObject({ data: [{ id: 'scripted' }] });
    const counted = await fetch(`${address.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers,
      body: JSON.stringify(clients['anthropic-messages'](false).body),
    });
    expect(await counted.json()).toMatchObject({ input_tokens: expect.any(Number) });
    await session.conclude();
    expect(session.of('other').map(({ data }) => data)).toEqual([
      { method: 'GET', path: '/v1/models', status: 200 },
      { method: 'POST', path: '/v1/messages/count_tokens', status: 200 },
    ]);
    expect(session.of('model-call')).toEqual([]);
  });

  it('keeps the redacted bodies as files, and no key in them', async () => {
    const folder = await temporaryFolder();
    await using parts = await scripted([{ reply: `The key is ${key} and hush-hush.` }], {
      folder,
      redact: redactionOf(['hush-hush']),
    });
    const { session, address } = parts;
    await (await send(address, 'openai-chat', true, `Do the task. hush-hush ${key}`)).text();
    await session.conclude();
    const [call] = session.of('model-call');
    expect(call?.files).toEqual({ request: 'model-calls/0001.request.json', reply: 'model-calls/0001.reply.sse' });
    const names = [call?.files?.request ?? '', call?.files?.reply ?? ''];
    const kept = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    expect(kept[0]).toContain('Do the task. [redacted]');
    expect(kept.join('')).not.toContain(key);
    expect(kept.join('')).not.toContain('hush');
  });

  it('requests the pinned model, and records what the agent requested', async () => {
    await using parts = await scripted([{ when: { model: 'large' }, ...answer }, { fault: { status: 404 } }], {
      pinnedModel: 'large',
    });
    const { session, address } = parts;
    for (const api of apis) expect((await send(address, api, false)).status).toBe(200);
    await session.conclude();
    expect(session.of('model-call').map(({ model, sentAs, respondedAs }) => [model, sentAs, respondedAs])).toEqual([
      ['claude-x', 'large', 'large'],
      ['gpt-x', 'large', 'large'],
      ['gpt-x', 'large', 'large'],
      ['gemini-x', 'large', 'large'],
    ]);
  });

  it('keeps the conversations of sub-agents apart', async () => {
    await using parts = await scripted([answer]);
    const { session, address } = parts;
    for (const prompt of ['Name this chat.', 'Do the task.', 'Look for notes.', 'Do the task.']) {
      await (await send(address, 'anthropic-messages', true, prompt)).text();
    }
    await session.conclude();
    expect(session.of('model-call').map(({ agentThread }) => agentThread)).toEqual([1, 2, 3, 2]);
  });

  it('keeps a conversation together while it grows', async () => {
    await using parts = await scripted([answer]);
    const { session, address } = parts;
    const { body } = clients['openai-responses'](false);
    const opening = (body as { input: object[] }).input;
    const step = [
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'c1', name: 'Bash', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'done' },
    ];
    for (const input of [opening, [...opening, ...step], [...opening, ...step, { role: 'user', content: 'Go on.' }]]) {
      const headers = { authorization: `Bearer ${address.placeholders[0]}` };
      await fetch(`${address.url}/v1/responses`, { method: 'POST', headers, body: JSON.stringify({ ...body, input }) });
    }
    await session.conclude();
    expect(session.of('model-call').map(({ agentThread }) => agentThread)).toEqual([1, 1, 1]);
  });

  it('answers requests that share a connection in their order, each whole', async () => {
    const pieces = (name: string): string[] => Array.from({ length: 50 }, (_, at) => `data: ${name}${at}\n\n`);
    const url = await serve(async (request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of pieces(request.url?.slice(1) ?? '')) {
        response.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const session = (await testedGateway()).open();
    const { hostname, port, pathname } = new URL(session.addRoute({ baseUrl: new URL(url), keys: [] }).url);
    const connection = connect(Number(port), hostname);
    const requests = ['a', 'b'].map(
      (name) => `GET ${pathname.replace(/\/$/, '')}/${name} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n`,
    );
    connection.write(`${requests[0]}\r\n${requests[1]}connection: close\r\n\r\n`);
    const received = await text(connection);
    await session.conclude();
    const bodies = received.split(/HTTP\/1\.1 200 OK\r\n/).slice(1);
    const read = bodies.map((body) => [...body.matchAll(/data: \w+\n\n/g)].join(''));
    expect(read).toEqual([pieces('a').join(''), pieces('b').join('')]);
  });

  it('passes a stream on that is larger than all buffers, at the pace of its client', async () => {
    const lines = Array.from({ length: 400_000 }, (_, at) => `data: ${at} ${'x'.repeat(at % 100)}\n\n`);
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      Readable.from(lines.map((_line, at) => at).filter((at) => at % 1_000 === 0))
        .map((at: number) => lines.slice(at, at + 1_000).join(''))
        .pipe(response);
    });
    const session = (await testedGateway()).open();
    const address = session.addRoute({ baseUrl: new URL(url), keys: [] });
    const received = await (await fetch(`${address.url}/events`)).text();
    expect(received === lines.join('')).toBe(true);
    await session.conclude();
  });

  it('passes a body of 20 MB on, byte for byte', async () => {
    let received = '';
    const url = await serve(async (request, response) => {
      received = await bodyOf(request);
      response.end('{}');
    });
    const session = (await testedGateway()).open();
    const address = session.addRoute({ baseUrl: new URL(url), keys: [] });
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(19_900_000) }] });
    expect((await fetch(`${address.url}/v1/messages`, { method: 'POST', body })).status).toBe(200);
    expect(received === body).toBe(true);
    await session.conclude();
  });
});
