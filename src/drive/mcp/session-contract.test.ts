import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RpcError } from '../../shared/json-rpc.ts';
import { type HttpFake, startHttpServer } from '../../testing/fakes/mcp/start-http-server.ts';
import { stdioDefinition } from '../../testing/fakes/mcp/stdio-definition.ts';
import { openSession } from './open-session.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { Era, McpSession, OpenSessionOptions } from './session.ts';

const limits = { timeoutMs: 20_000 };
const soon = { timeoutMs: 150 };

let http: HttpFake;
beforeAll(async () => {
  http = await startHttpServer();
});
afterAll(() => http[Symbol.asyncDispose]());

const transports: readonly [ServerDefinition['transport'], Era, () => ServerDefinition][] = [
  ['stdio', 'legacy', () => stdioDefinition('good')],
  ['stdio', 'modern', () => stdioDefinition('good', {}, 'modern')],
  ['shttp', 'legacy', () => http.define('shttp', 'good')],
  ['shttp', 'modern', () => http.define('shttp', 'good', {}, 'modern')],
  ['sse', 'legacy', () => http.define('sse', 'good')],
];

function textOf(answer: Awaited<ReturnType<McpSession['callTool']>>): string {
  const { content } = (answer.kind === 'result' ? answer.result : {}) as { content?: { text: string }[] };
  return content?.[0]?.text ?? '';
}

describe.each(transports)('a session over %s (%s)', (transport, era, definition) => {
  const isModern = era === 'modern';
  const open = (options: Partial<OpenSessionOptions> = {}): Promise<McpSession> =>
    openSession(definition(), { directory: import.meta.dirname, env: process.env, ...limits, ...options });

  it('knows what the server says of itself', async () => {
    await using session = await open();
    expect(session.facts).toMatchObject({
      transport,
      name: 'sample',
      version: '1.2.3',
      era,
      protocolVersion: isModern ? '2026-07-28' : '2025-11-25',
      instructions: 'Ask me anything.',
    });
    expect(session.broken).toBeUndefined();
    expect(session.notices()).toEqual([]);
  });

  it('lists the tools of all pages with every field', async () => {
    await using session = await open();
    const tools = await session.listTools(limits);
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'fail', 'hang', 'cancelled', 'ask', 'log', 'surroundings']);
    expect(tools[0]?.inputSchema).toMatchObject({ type: 'object', required: ['text'] });
    expect(await session.listTools(limits)).toBe(tools);
    expect(await session.listTools({ ...limits, isFresh: true })).toEqual(tools);
  });

  it('gives results, failed results and errors of the protocol as answers', async () => {
    await using session = await open();
    const echoed = await session.callTool('echo', { text: 'grüße 🎈' }, limits);
    expect(echoed).toMatchObject({ kind: 'result', result: { content: [{ type: 'text', text: 'grüße 🎈' }] } });
    expect(echoed.latencyMs).toBeGreaterThan(0);
    expect(await session.callTool('fail', {}, limits)).toMatchObject({ kind: 'result', result: { isError: true } });
    expect(await session.callTool('nothing', {}, limits)).toMatchObject({
      kind: 'error',
      code: -32602,
      message: 'Unknown tool: nothing',
    });
    expect(await session.request('resources/list', {}, limits)).toMatchObject({
      kind: 'error',
      data: { method: 'resources/list' },
    });
    expect(await session.request(session.aliveMethod, {}, limits)).toMatchObject({ kind: 'result' });
    expect(await session.request('ping', {}, limits)).toMatchObject({ kind: isModern ? 'error' : 'result' });
  });

  it('keeps calls apart that run at the same time', async () => {
    await using session = await open();
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(texts.map((text) => session.callTool('echo', { text }, limits)));
    expect(answers.map(textOf)).toEqual(texts);
  });

  it('cancels a call that takes too long, and goes on', async () => {
    await using session = await open();
    await expect(session.callTool('hang', {}, soon)).rejects.toMatchObject({
      code: 'MCP_SERVER_TIMEOUT',
      message: expect.stringContaining(`"${session.facts.label}" did not answer tools/call within 150 ms`),
    });
    await expect.poll(async () => textOf(await session.callTool('cancelled', {}, limits))).toBe('1');
  });

  it('cancels a call that its caller aborts', async () => {
    await using session = await open();
    const stop = new AbortController();
    const call = session.callTool('hang', {}, { ...limits, signal: stop.signal });
    await session.request(session.aliveMethod, {}, limits);
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await expect.poll(async () => textOf(await session.callTool('cancelled', {}, limits))).toBe('1');
    await expect(session.callTool('echo', {}, { ...limits, signal: stop.signal })).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
  });

  it('hears notifications until it does not want to', async () => {
    await using session = await open();
    const heard: unknown[] = [];
    const listening = session.onNotification('notifications/message', (params) => heard.push(params));
    await session.callTool('log', { text: 'one' }, limits);
    listening[Symbol.dispose]();
    await session.callTool('log', { text: 'two' }, limits);
    expect(heard).toEqual([{ level: 'info', data: 'one' }]);
  });

  it('answers what the server asks, or says that it cannot', async () => {
    await using session = await open({ capabilities: { sampling: {} } });
    const ask = (): Promise<string> => session.callTool('ask', {}, limits).then(textOf, ({ code }) => `no: ${code}`);
    const refused = isModern ? 'no: MCP_INPUT_REFUSED' : '-32601';
    expect(await ask()).toContain(refused);
    {
      using _answering = session.onRequest('sampling/createMessage', async ({ method }) => ({ method }));
      expect(await ask()).toBe('{"method":"sampling/createMessage"}');
      using _refusing = session.onRequest('sampling/createMessage', async () => {
        throw new RpcError(-1, 'the user said no');
      });
      expect(await ask()).toBe(isModern ? refused : '{"code":-1,"message":"the user said no"}');
    }
    expect(await ask()).toContain(refused);
  });

  it('shows every message that passes', async () => {
    const frames: string[] = [];
    await using session = await open({
      onFrame: (direction, message) => {
        const { method = 'answer' } = message as { method?: string };
        frames.push(`${direction} ${method}`);
      },
    });
    await session.callTool('fail', {}, limits);
    const question = ['to-server server/discover', 'from-server answer'];
    const handshake = ['to-server initialize', 'from-server answer', 'to-server notifications/initialized'];
    const call = ['to-server tools/call', 'from-server answer'];
    expect(frames.slice(-call.length)).toEqual(call);
    expect([question, handshake, [...question, ...handshake]]).toContainEqual(frames.slice(0, -call.length));
    expect(frames.includes('to-server initialize')).toBe(!isModern);
  });

  it('answers nothing after its end, which may come twice', async () => {
    const session = await open();
    const hanging = session.callTool('hang', {}, limits);
    const rejected = expect(hanging).rejects.toMatchObject({ code: 'MCP_SERVER_DIED' });
    await session[Symbol.asyncDispose]();
    await session[Symbol.asyncDispose]();
    await rejected;
    expect(session.broken?.message).toContain('was ended');
    await expect(session.callTool('echo', {}, limits)).rejects.toMatchObject({ code: 'MCP_SERVER_DIED' });
  });
});

describe('the program of a server', () => {
  const options = { directory: import.meta.dirname, env: { ...process.env, GREETING: 'hello' }, ...limits };

  it('starts where the definition says, with variables filled in', async () => {
    const definition = stdioDefinition('good', { cwd: 'proxy', env: { SAMPLE: '${GREETING} ${NOT_SET}' } });
    await using session = await openSession(definition, options);
    expect(JSON.parse(textOf(await session.callTool('surroundings', {}, limits)))).toEqual({
      cwd: `${import.meta.dirname}/proxy`,
      value: 'hello ${NOT_SET}',
    });
  });

  it('is not started for a caller that has aborted', async () => {
    const signal = AbortSignal.abort();
    await expect(openSession(stdioDefinition('good'), { ...options, signal })).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
  });
});
