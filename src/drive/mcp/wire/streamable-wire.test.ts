import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { UnstampedEvent } from '../../../domain/trace.ts';
import { TestSession } from '../../targets/mcp/suite/test-session.ts';
import { openSession } from '../open-session.ts';
import { serverDefinitionSchema } from '../server-definition.ts';
import type { McpSession } from '../session.ts';

const limits = { timeoutMs: 20_000 };
const eventStream = { 'content-type': 'text/event-stream' };
const answerTo = (id: unknown, result: string): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${result.replace(/\}$/, ',"later":{"a":1}}')}}`;
const greeting = '{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}';
const booked = '{"content":[],"structuredContent":{"id":9007199254740993}}';

/** Answers a call; `visits` are the requests for a stream so far, with the event after which each continues. */
type AnswerCall = (response: ServerResponse, id: unknown) => void;
type AnswerStream = (response: ServerResponse, lastEventId: string | undefined) => void;

/** A server of an older version, which keeps sessions. */
class SessionServer {
  readonly requests: string[] = [];
  readonly #answerCall: AnswerCall;
  readonly #answerStream: AnswerStream;

  constructor(answerCall: AnswerCall, answerStream: AnswerStream) {
    this.#answerCall = answerCall;
    this.#answerStream = answerStream;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { 'mcp-session-id': session, 'mcp-protocol-version': version, 'last-event-id': last } = request.headers;
    const text = (await request.setEncoding('utf8').toArray()).join('');
    const { id, method } = text === '' ? {} : (JSON.parse(text) as { readonly id?: number; readonly method?: string });
    this.requests.push([method ?? request.method, session ?? '-', version ?? '-'].join(' '));
    if (request.method === 'GET') return this.#answerStream(response, last?.toString());
    if (request.method !== 'POST') return void response.writeHead(200).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call') return this.#answerCall(response, id);
    const headers = { 'content-type': 'application/json', 'mcp-session-id': 'session-1' };
    response.writeHead(200, headers).end(answerTo(id, method === 'initialize' ? greeting : '{"tools":[]}'));
  }
}

async function withServer(server: SessionServer, use: (session: McpSession) => Promise<void>): Promise<void> {
  const http = createServer((request, response) => void server.answer(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
  try {
    const definition = serverDefinitionSchema().parse({ transport: 'shttp', url, protocol: 'legacy' });
    await using session = await openSession(definition, { directory: '/', env: {}, ...limits });
    await use(session);
  } finally {
    http.closeAllConnections();
    http.close();
  }
}

const withoutStream: AnswerStream = (response) => void response.writeHead(405).end();

describe('a session over streamable HTTP', () => {
  it('belongs to its id and version, and ends with the server knowing it', async () => {
    const answerCall: AnswerCall = (response, id) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(id, booked));
    const server = new SessionServer(answerCall, withoutStream);
    await withServer(server, async (session) => void (await session.callTool('book', {}, limits)));
    const of = (what: string): string | undefined => server.requests.find((each) => each.startsWith(what));
    expect(of('initialize')).toBe('initialize - -');
    expect(of('tools/call')).toBe('tools/call session-1 2025-06-18');
    expect(of('DELETE')).toBe('DELETE session-1 2025-06-18');
  });

  it.each<[string, AnswerCall]>([
    [
      'a JSON text',
      (response, id) => void response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(id, booked)),
    ],
    [
      'a list',
      (response, id) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(`[${answerTo(id, booked)}]`),
    ],
    ['an event', (response, id) => void response.writeHead(200, eventStream).end(`data: ${answerTo(id, booked)}\n\n`)],
  ])('reads messages with new keys, and keeps the digits of ids: %s', async (_, answerCall) => {
    await withServer(new SessionServer(answerCall, withoutStream), async (session) => {
      expect(await session.callTool('book', {}, limits)).toMatchObject({
        kind: 'result',
        result: { structuredContent: { id: '9007199254740993' } },
      });
    });
  });

  it('is not a message: text that is not UTF-8', async () => {
    const bytes = (id: unknown): Buffer =>
      Buffer.from(answerTo(id, '{"content":[{"type":"text","text":"Café"}]}'), 'latin1');
    const answerCall: AnswerCall = (response, id) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(bytes(id));
    await withServer(new SessionServer(answerCall, withoutStream), async (session) => {
      await expect(session.callTool('book', {}, limits)).rejects.toMatchObject({ code: 'MCP_PROTOCOL_VIOLATED' });
    });
  });

  it('continues an answer whose stream breaks off, after its last event', async () => {
    let callId: unknown;
    const continued: (string | undefined)[] = [];
    const answerCall: AnswerCall = (response, id) => {
      callId = id;
      response.writeHead(200, eventStream).end('retry: 1\nid: e1\ndata: \n\n');
    };
    const answerStream: AnswerStream = (response, lastEventId) => {
      continued.push(lastEventId);
      if (lastEventId === undefined) return void response.writeHead(405).end();
      response.writeHead(200, eventStream).end(`id: e2\ndata: ${answerTo(callId, booked)}\n\n`);
    };
    await withServer(new SessionServer(answerCall, answerStream), async (session) => {
      expect(await session.callTool('book', {}, limits)).toMatchObject({ kind: 'result' });
    });
    expect(continued.filter((each) => each !== undefined)).toEqual(['e1']);
  });

  it('waits for a log message that arrives after the answer, on the stream of the session', async () => {
    const log = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"booked it"}}';
    const stream: ServerResponse[] = [];
    const answerCall: AnswerCall = (response, id) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(id, booked));
    const answerStream: AnswerStream = (response) => {
      stream.push(response.writeHead(200, eventStream));
      response.flushHeaders();
    };
    await withServer(new SessionServer(answerCall, answerStream), async (session) => {
      await expect.poll(() => stream.length).toBe(1);
      const events: UnstampedEvent[] = [];
      const client = new TestSession(session, { index: 0, kind: 'tool' }, 0, {
        limits,
        emit: (event) => {
          events.push(event);
          if (event.type === 'tool-result') stream[0]?.write(`data: ${log}\n\n`);
        },
      });
      await client.call('book', {}, { wanted: { log: 'booked' } });
      expect(events.map(({ type }) => type)).toEqual(['tool-call', 'tool-result', 'mcp-notification']);
    });
  });

  it('gives up an answer that does not come when it is continued', async () => {
    const answerCall: AnswerCall = (response) =>
      void response.writeHead(200, eventStream).end('retry: 1\nid: e1\ndata: \n\n');
    const answerStream: AnswerStream = (response) => void response.writeHead(200, eventStream).end();
    await withServer(new SessionServer(answerCall, answerStream), async (session) => {
      await expect(session.callTool('book', {}, limits)).rejects.toMatchObject({ code: 'MCP_SERVER_DIED' });
    });
  });
});
