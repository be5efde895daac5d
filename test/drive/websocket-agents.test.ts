import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { runConversation, validateConversation } from '../../src/testing/support/conversation-run.ts';

/** An agent behind a WebSocket; gives its URL, and what it was sent over which connection. */
async function startAgent(answer: (socket: WebSocket, frame: string) => void, greeting?: string) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const received: { readonly connection: number; readonly frame: unknown; readonly token: unknown }[] = [];
  let connections = 0;
  server.on('connection', (socket, { headers }) => {
    const connection = ++connections;
    if (greeting !== undefined) socket.send(greeting);
    socket.on('message', (data) => {
      const frame = data.toString();
      received.push({
        connection,
        frame: frame.startsWith('{') ? JSON.parse(frame) : frame,
        token: headers['x-token'],
      });
      answer(socket, frame);
    });
  });
  await once(server, 'listening');
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, received, openCount: () => server.clients.size };
}

function talking(connector: object, more: object = {}) {
  return {
    name: 'Talk',
    connector: { type: 'websocket', ...connector },
    userMessages: ['Hello'],
    evaluators: [{ type: 'contains', config: { text: 'Booked' }, when: 'final' }],
    ...more,
  };
}

const send = (socket: WebSocket, value: unknown) => socket.send(JSON.stringify(value));

describe('an agent behind a WebSocket', () => {
  it('answers turn by turn over one connection, which is closed with the conversation', async () => {
    const agent = await startAgent((socket, frame) => {
      const { messages } = JSON.parse(frame);
      send(socket, { content: messages.length > 1 ? 'Booked.' : 'Which day?', usage: { input: 5, output: 2 } });
    });
    const connector = { baseUrl: agent.url, headers: { 'X-Token': 'secret-token-1234' } };
    const { trial, trace } = await runConversation(talking(connector, { userMessages: ['Hello', 'Monday'] }));
    expect(trial).toMatchObject({ outcome: 'pass', usage: { inputTokens: 10, outputTokens: 4 } });
    expect(agent.received.map(({ connection, token }) => [connection, token])).toEqual([
      [1, 'secret-token-1234'],
      [1, 'secret-token-1234'],
    ]);
    expect(agent.received[1]?.frame).toMatchObject({
      messages: [{}, { content: 'Which day?' }, { content: 'Monday' }],
    });
    expect(JSON.stringify(trace)).not.toContain('secret-token-1234');
    await expect.poll(() => agent.openCount()).toBe(0);
  });

  it('is mapped by its config, and frames that are no answer are ignored', async () => {
    const agent = await startAgent((socket) => {
      send(socket, { type: 'typing' });
      send(socket, { type: 'answer', data: { words: 'Booked.', session: 's-1' } });
    }, '{"type":"welcome"}');
    const config = {
      greeting: true,
      message: { say: '{{message}}', session: '{{threadId}}', turn: '{{turn}}' },
      ignore: "$[?@ == 'typing']",
      response: { text: '$.data.words', threadId: '$.data.session' },
      keep: 'turn',
    };
    const turns = { userMessages: ['Hello', 'Again'] };
    const { trial } = await runConversation(talking({ baseUrl: agent.url, config }, turns));
    expect(trial.outcome).toBe('pass');
    expect(agent.received).toMatchObject([
      { connection: 1, frame: { say: 'Hello', turn: 1 } },
      { connection: 2, frame: { say: 'Again', session: 's-1', turn: 2 } },
    ]);
  });

  it.each([
    [
      'a mark',
      { until: '$.done' },
      (socket: WebSocket) => send(socket, { done: true, usage: { input: 3, output: 2 } }),
    ],
    ['[DONE]', { until: '$.done' }, (socket: WebSocket) => socket.send('[DONE]')],
    ['its close', {}, (socket: WebSocket) => socket.close(1000)],
  ])('streams an answer that ends with %s', async (_, more, end) => {
    const agent = await startAgent((socket) => {
      for (const delta of ['Boo', 'ked', '.']) send(socket, { delta, done: false });
      end(socket);
    });
    const config = { stream: true, ...more };
    const { trial, trace } = await runConversation(talking({ baseUrl: agent.url, config }));
    expect(trial.outcome).toBe('pass');
    expect(trace.find(({ type }) => type === 'turn')).toMatchObject({
      messages: [{ role: 'assistant', content: 'Booked.' }],
      timeToFirstTokenMs: expect.any(Number),
    });
  });

  it.each([
    ['closes', (socket: WebSocket) => socket.close(1011, 'out of memory'), {}, 'code 1011: out of memory'],
    ['breaks off', (socket: WebSocket) => socket.terminate(), {}, 'closed the connection'],
    [
      'reports an error',
      (socket: WebSocket) => send(socket, { error: { message: 'tired' } }),
      { stream: true, until: '$.done' },
      'closed the connection|tired',
    ],
    [
      'sends JSON without a message',
      (socket: WebSocket) => send(socket, { ok: 1 }),
      { response: { text: '$.words' } },
      'contains no message',
    ],
    [
      'streams and breaks off',
      (socket: WebSocket) => {
        send(socket, { delta: 'Booked' });
        socket.terminate();
      },
      { stream: true },
      'closed the connection',
    ],
    ['stays silent', () => undefined, {}, 'within'],
  ])('makes the trial an error when it %s', async (_, answer, config, reason) => {
    const agent = await startAgent((socket) => {
      answer(socket);
      if (reason.includes('tired')) socket.close(1000);
    });
    const { trial, exitCode } = await runConversation(
      talking({ baseUrl: agent.url, config }, { timeoutSecs: reason === 'within' ? 1 : 30 }),
    );
    expect(trial.outcome).toBe('error');
    expect(trial.reason).toMatch(new RegExp(reason));
    expect(exitCode).toBe(3);
  });

  it('is sent a turn again when it refuses the connection for the moment', async () => {
    const sockets = new WebSocketServer({ noServer: true });
    sockets.on('connection', (socket) => socket.on('message', () => send(socket, 'Booked.')));
    let refusals = 0;
    const server = createServer().on('upgrade', (request, socket, head) => {
      if (refusals++ === 0) return socket.end('HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n');
      return sockets.handleUpgrade(request, socket, head, (open) => sockets.emit('connection', open, request));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      for (const client of sockets.clients) client.terminate();
      server.close();
      server.closeAllConnections();
    });
    const baseUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { trial, trace } = await runConversation(talking({ baseUrl }));
    expect(trial.outcome).toBe('pass');
    expect(trace.filter((event) => event.type === 'other' && event.kind === 'retry')).toHaveLength(1);
  });

  it('that cannot be reached is an error; a wrong config is refused', async () => {
    const { trial } = await runConversation(talking({ baseUrl: 'ws://127.0.0.1:1' }));
    expect(trial).toMatchObject({ outcome: 'error', reason: expect.stringContaining('could not be reached') });
    const config = { until: 'done', message: '{{massage}}', frames: 1 };
    const { exitCode, stdout, stderr } = await validateConversation(talking({ baseUrl: 'ws://127.0.0.1:1', config }));
    expect(exitCode).toBe(2);
    for (const problem of ['a JSONPath begins with', 'massage', 'frames']) expect(stdout + stderr).toContain(problem);
    const early = await validateConversation(talking({ baseUrl: 'ws://127.0.0.1:1', config: { until: '$.done' } }));
    expect(early.stdout + early.stderr).toContain('`until` needs `stream: true`');
  });
});
