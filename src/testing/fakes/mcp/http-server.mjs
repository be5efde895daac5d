import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { openAnswers, openModernAnswers } from './answers.mjs';

/**
 * One path for each behaviour: `/<mode>/mcp` speaks streamable HTTP with sessions, `/<mode>/modern/<client>` without
 * them, `/<mode>/sse` the older event stream.
 */
const sessions = new Map();
const visits = new Map();
const hello = { content: [{ type: 'text', text: 'hello' }] };

const bodyOf = async (request) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body === '' ? undefined : JSON.parse(body);
};
const json = (response, status, value, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
const page = (response, status, text) => response.writeHead(status, { 'content-type': 'text/html' }).end(text);
const event = (message, name = 'message') =>
  `event: ${name}\ndata: ${typeof message === 'string' ? message : JSON.stringify(message)}\n\n`;
const stream = (response, headers = {}) => response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
const visit = (mode) => visits.set(mode, (visits.get(mode) ?? 0) + 1).get(mode);
const pour = (response, left, end) =>
  left === 0
    ? end()
    : response.write('x'.repeat(1024 * 1024), () => response.destroyed || pour(response, left - 1, end));

const isCall = (message) => message?.method === 'tools/call';
const isGreeting = (message) => message?.method === 'initialize';

async function goodStreamable(request, response, message) {
  const current = sessions.get(request.headers['mcp-session-id']);
  if (request.method === 'DELETE') {
    sessions.delete(request.headers['mcp-session-id']);
    return response.writeHead(200).end();
  }
  if (request.method === 'GET') return response.writeHead(405).end();
  if (!isGreeting(message) && !current) return json(response, 404, { error: 'Session not found' });
  const id = isGreeting(message) ? randomUUID() : request.headers['mcp-session-id'];
  const answer = current ?? openAnswers();
  sessions.set(id, answer);
  if (message.id === undefined || message.method === undefined) {
    void answer(message, () => undefined);
    return response.writeHead(202).end();
  }
  stream(response, { 'mcp-session-id': id });
  await answer(message, (part) => response.write(event(part)));
  response.end();
}

const clients = new Map();
const decoded = (value = '') => {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
};

/** Why the headers of a request do not fit its body; undefined when they do. */
function mismatch({ headers }, { method, params }) {
  const wanted = {
    'mcp-protocol-version': params?._meta?.['io.modelcontextprotocol/protocolVersion'],
    'mcp-method': method,
    ...(/^(tools\/call|prompts\/get)$/.test(method) && { 'mcp-name': params.name }),
    ...(method === 'resources/read' && { 'mcp-name': params.uri }),
    ...(params?.name === 'echo' && params.arguments?.text !== undefined && { 'mcp-param-text': params.arguments.text }),
  };
  const wrong = Object.entries(wanted).find(([name, value]) => decoded(headers[name]) !== String(value));
  return wrong && `${wrong[0]} is ${headers[wrong[0]]}, not ${wrong[1]}`;
}

const marked = (tool) => {
  if (tool.name !== 'echo') return tool;
  const text = { type: 'string', 'x-mcp-header': 'Text' };
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: { text } } };
};
const withMarks = (part) =>
  part.result?.tools ? { ...part, result: { ...part.result, tools: part.result.tools.map(marked) } } : part;

async function goodModern(request, response, message, changed = (part) => part) {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const problem = mismatch(request, message);
  if (problem && message.method !== 'initialize') {
    return json(response, 400, { jsonrpc: '2.0', id: null, error: { code: -32020, message: problem } });
  }
  const client = clients.get(request.url) ?? openModernAnswers();
  clients.set(request.url, client);
  if (message.id === undefined) return response.writeHead(400).end();
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } };
  response.on('close', () => response.writableFinished || client.answer(cancelled, () => undefined));
  const isPlain = message.method !== 'tools/call' && message.method !== 'subscriptions/listen';
  await client.answer(message, (part) => {
    if (response.destroyed) return;
    const status = { [-32601]: 404, [-32021]: 400, [-32022]: 400 }[part.error?.code] ?? 200;
    if (isPlain) return json(response, status, changed(withMarks(part)));
    if (!response.headersSent) stream(response).write(': here\n\n');
    response.write(event(part));
    if (part.id === message.id) response.end();
  });
}

const modesOver = (good, failCalls) => ({
  good,
  401: (request, response) => page(response, 401, `Key ${request.headers.authorization} is not valid`),
  403: (_, response) => page(response, 403, 'Forbidden'),
  404: (_, response) => page(response, 404, '<h1>Not here</h1>'),
  405: (_, response) => page(response, 405, ''),
  500: (_, response) => page(response, 500, 'Database is down'),
  'web page': (_, response) => page(response, 200, '<h1>Welcome</h1>'),
  elsewhere: (_, response) => response.writeHead(307, { location: 'http://localhost:9/mcp' }).end(),
  nearby: (_, response) => response.writeHead(307, { location: '/good/mcp' }).end(),
  'round and round': (_, response) => response.writeHead(307, { location: '/round and round/mcp' }).end(),
  'no answer': failCalls(() => undefined),
  accepted: failCalls((response) => response.writeHead(202).end()),
  'call 401': failCalls((response, _, request) => page(response, 401, `No ${request.headers.authorization}`)),
  'call 500': failCalls((response) => page(response, 500, 'Database is down')),
  'call 400': failCalls((response, { id }) =>
    json(response, 400, { jsonrpc: '2.0', id, error: { code: -32602, message: 'no such tool' } }),
  ),
  'no json': failCalls((response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":')),
  'no message': failCalls((response) => json(response, 200, { hello: 'world' })),
  'huge answer': failCalls((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    pour(response, 100, () => response.end());
  }),
  'huge event': failCalls((response) => {
    stream(response).write('data: ');
    pour(response, 100, () => response.end());
  }),
  'stream ends': failCalls((response) => stream(response).end(event({ jsonrpc: '2.0', method: 'notifications/x' }))),
  'connection breaks': failCalls((response) => response.destroy()),
  'answer breaks': failCalls((response) => {
    stream(response).write('data: {"json');
    setImmediate(() => response.destroy());
  }),
});

const failing = (good) => (fail) => (request, response, message) =>
  isCall(message) ? fail(response, message, request) : good(request, response, message);

const modern = {
  ...modesOver(goodModern, failing(goodModern)),
  nearby: (request, response) => response.writeHead(307, { location: request.url.replace('nearby', 'good') }).end(),
  'unasked request': failing(goodModern)((response, { id }) => {
    stream(response).write(event({ jsonrpc: '2.0', id: 's-1', method: 'roots/list' }));
    response.end(event({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...hello } }));
  }),
  'stream stays open': failing(goodModern)((response, { id }) => {
    stream(response).write(event({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...hello } }));
  }),
  'another answer': failing(goodModern)((response, { id }) =>
    json(response, 200, { jsonrpc: '2.0', id: id + 100, result: { resultType: 'complete', ...hello } }),
  ),
  'empty cursor': (request, response, message) =>
    goodModern(request, response, message, (part) =>
      part.result?.tools ? { ...part, result: { ...part.result, nextCursor: '' } } : part,
    ),
  'bad marks': async (request, response, message) => {
    if (message.method !== 'tools/list') return goodModern(request, response, message);
    const schemas = [
      { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } },
      { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'no spaces' } } },
      { type: 'object', properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } } },
      {
        type: 'object',
        properties: { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
      },
      { type: 'object', properties: { deep: { properties: { b: { type: 'integer', 'x-mcp-header': 'B' } } } } },
    ];
    const tools = schemas.map((inputSchema, index) => ({ name: `tool-${index}`, inputSchema }));
    const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools };
    json(response, 200, { jsonrpc: '2.0', id: message.id, result });
  },
};

const streamable = {
  ...modesOver(goodStreamable, failing(goodStreamable)),
  forgets: (request, response, message) => {
    if (isCall(message) && visit('forgets') === 1) sessions.delete(request.headers['mcp-session-id']);
    return goodStreamable(request, response, message);
  },
  'forgotten by all': async (request, response, message) => {
    await goodStreamable(request, response, message);
    if (message?.params?.arguments?.text === 'forget') sessions.delete(request.headers['mcp-session-id']);
  },
  'always forgets': (request, response, message) => {
    if (isCall(message)) sessions.delete(request.headers['mcp-session-id']);
    return goodStreamable(request, response, message);
  },
};

const openStream = (mode, response, endpoint) => {
  const id = randomUUID();
  const answer = openAnswers();
  sessions.set(id, { response, take: (message) => answer(message, (part) => response.write(event(part))) });
  stream(response).write(event(endpoint ?? `/${mode}/sse?session=${id}`, 'endpoint'));
};

function goodEventStream(mode, request, response, message, onCall) {
  if (request.method === 'GET') return openStream(mode, response);
  const session = sessions.get(new URL(request.url, 'http://localhost').searchParams.get('session'));
  if (!session) return json(response, 404, { error: 'Session not found' });
  response.writeHead(202).end('Accepted');
  if (isCall(message) && onCall) return onCall(session, message);
  void session.take(message);
}

const onCalls = (onCall) => (mode, request, response, message) =>
  goodEventStream(mode, request, response, message, onCall);

const eventStreams = {
  good: goodEventStream,
  401: (_mode, request, response) => page(response, 401, `Key ${request.headers.authorization} is not valid`),
  404: (_mode, _, response) => page(response, 404, 'Not here'),
  500: (_mode, _, response) => page(response, 500, 'Database is down'),
  'web page': (_mode, _, response) => page(response, 200, '<h1>Welcome</h1>'),
  'no endpoint': (_mode, _, response) => void stream(response).write(event('hello', 'other')),
  'foreign endpoint': (mode, _, response) => openStream(mode, response, 'http://localhost:9/messages'),
  'post fails': (mode, request, response) =>
    request.method === 'GET' ? openStream(mode, response) : page(response, 500, 'Database is down'),
  'no answer': onCalls(() => undefined),
  'no json': onCalls(({ response }) => response.write('data: {"id":\n\n')),
  'huge event': onCalls(({ response }) => {
    response.write('data: ');
    pour(response, 100, () => response.end());
  }),
  drops: (mode, request, response, message) =>
    goodEventStream(mode, request, response, message, (session) => {
      if (visit('drops') === 1) session.response.destroy();
      else void session.response.write(event({ jsonrpc: '2.0', id: message.id, result: hello }));
    }),
  'drops always': onCalls(({ response }) => response.destroy()),
  'drops for good': (mode, request, response, message) => {
    if (request.method === 'GET' && visit('drops for good') > 1) return page(response, 503, 'Gone');
    return goodEventStream(mode, request, response, message, (session) => session.response.destroy());
  },
};

const server = createServer(async (request, response) => {
  const [, mode, kind] = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).split('/');
  const message = await bodyOf(request);
  response.on('error', () => undefined);
  if (kind === 'mcp') await streamable[mode](request, response, message);
  else if (kind === 'modern') await modern[mode](request, response, message);
  else eventStreams[mode](mode, request, response, message);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume().on('end', () => process.exit());
