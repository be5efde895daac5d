import { spawn } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { discovered, greeting, openAnswers, openModernAnswers, tools } from './answers.mjs';

const [mode = 'good', , era = 'legacy'] = process.argv.slice(2);
const isModern = era === 'modern';
const modern = openModernAnswers();
const answer = isModern ? modern.answer : openAnswers();
const print = (line) => process.stdout.write(`${line}\n`);
const send = (message) => print(JSON.stringify(message));
const isPlain = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const kept = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const typed = (result) => (isModern && isPlain(result) ? { ...kept, ...result } : result);
const reply = ({ id }, result) => send({ jsonrpc: '2.0', id, result: typed(result) });
const good = (message) => answer(message, send);
const stay = () => setInterval(() => undefined, 60_000);
const isCall = ({ method }) => method === 'tools/call';
const hello = { content: [{ type: 'text', text: 'hello' }] };
const toolsChanged = 'notifications/tools/list_changed';
let lists = 0;

/** Answers nothing for longer than a client waits for the answer to its first question. */
const slowly = (answerOne) => {
  const early = [];
  setTimeout(() => {
    for (const message of early.splice(0)) void answerOne(message);
    early.isOver = true;
  }, 1_500);
  return (message) => (early.isOver ? answerOne(message) : early.push(message));
};

/** Behaves well but for what happens on one method. */
const on = (method, handle) => (message) => (message.method === method ? handle(message) : good(message));
const onCall = (handle) => on('tools/call', handle);
const first = isModern ? 'server/discover' : 'initialize';
const greet = (changes) =>
  on(first, (message) => reply(message, { ...(isModern ? discovered : greeting), ...changes }));
const version = (name) => (isModern ? { supportedVersions: [name] } : { protocolVersion: name });
const nested = (levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

const needing = (request) => ({ resultType: 'input_required', inputRequests: { it: request } });

const behaviours = {
  good: () => good,
  silent: () => () => undefined,
  'junk only': () => () => print('Server is listening'),
  'junk between': () => (message) => {
    print('[info] got a message');
    return good(message);
  },
  'junk flood': () => {
    const flood = () => process.stdout.write('no message\n'.repeat(1_000), () => setImmediate(flood));
    flood();
    return () => undefined;
  },
  'huge frame': () =>
    onCall(() => {
      const part = 'x'.repeat(1024 * 1024);
      process.stdout.write('{"jsonrpc":"2.0","id":2,"result":{"text":"');
      const pour = (left) => (left === 0 ? print('"}}') : process.stdout.write(part, () => pour(left - 1)));
      pour(100);
    }),
  'endless line': () => {
    const part = 'x'.repeat(1024 * 1024);
    const pour = () => process.stdout.write(part, pour);
    pour();
    return () => undefined;
  },
  'endless stderr': () => {
    const part = 'noise '.repeat(20_000);
    const pour = () => process.stderr.write(part, () => setImmediate(pour));
    pour();
    return good;
  },
  'wrong ids': () => onCall(({ id }) => reply({ id: id + 1_000 }, hello)),
  'ids as text': () => onCall(({ id }) => reply({ id: String(id) }, hello)),
  'no ids': () => onCall(() => send({ jsonrpc: '2.0', result: hello })),
  'duplicate answers': () =>
    onCall((message) => {
      for (let time = 0; time < 3; time++) reply(message, hello);
    }),
  'answers without a request': () => (message) => {
    reply({ id: 99 }, hello);
    return good(message);
  },
  'notification flood': () =>
    onCall((message) => {
      for (let count = 0; count < 20_000; count++)
        send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: count } });
      reply(message, hello);
    }),
  'request flood': () =>
    onCall((message) => {
      for (let id = 0; id < 5_000; id++) send({ jsonrpc: '2.0', id: `r${id}`, method: 'roots/list' });
      reply(message, hello);
    }),
  'cut off message': () => onCall(({ id }) => print(`{"jsonrpc":"2.0","id":${id},"result":{"content":[`)),
  'pretty printed': () => onCall(({ id }) => print(JSON.stringify({ jsonrpc: '2.0', id, result: hello }, null, 2))),
  'result is a list': () => onCall((message) => reply(message, [1, 2])),
  'result is missing': () => onCall((message) => reply(message, undefined)),
  'error without code': () => onCall(({ id }) => send({ jsonrpc: '2.0', id, error: 'no' })),
  'nested too deep': () => onCall(({ id }) => print(`{"jsonrpc":"2.0","id":${id},"result":${nested(100_000)}}`)),
  'list of lists': () =>
    onCall((message) => {
      print('['.repeat(50_000) + ']'.repeat(50_000));
      reply(message, hello);
    }),
  'dies at once': () => {
    process.stderr.write('first line\nCannot find module "left-pad"\n');
    process.exit(3);
  },
  'dies at the greeting': () => on(first, () => process.exit(4)),
  'dies when greeted': () => on('notifications/initialized', () => process.exit(5)),
  'dies at the list': () => on('tools/list', () => process.exit(6)),
  'dies in a call': () =>
    onCall(() => {
      process.stderr.write('Segmentation fault\n');
      process.exit(139);
    }),
  'is killed in a call': () => onCall(() => process.kill(process.pid, 'SIGKILL')),
  'closes stdout': () => {
    stay();
    return onCall(() => process.stdout.end());
  },
  'closes stdin': () => {
    stay();
    return on(isModern ? 'server/discover' : 'ping', (message) => {
      if (isModern && ++lists === 1) return reply(message, discovered);
      reply(message, isModern ? discovered : {});
      closeSync(0);
      send({ jsonrpc: '2.0', method: 'notifications/closed' });
    });
  },
  'old version': () => greet(version('1999-12-31')),
  'newer version': () => greet(version('2099-01-01')),
  'newer versions': () =>
    on(first, ({ id }) => {
      const error = { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2099-01-01'] } };
      send({ jsonrpc: '2.0', id, error });
    }),
  'no version': () => greet({ protocolVersion: undefined }),
  'no name': () => greet({ serverInfo: {} }),
  'no capabilities': () => greet({ capabilities: undefined }),
  'refuses the greeting': () =>
    on(first, ({ id }) => send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'no database' } })),
  'endless pages': () => on('tools/list', (message) => reply(message, { tools, nextCursor: `page-${++lists}` })),
  'same page': () => on('tools/list', (message) => reply(message, { tools, nextCursor: 'again' })),
  'tools are no list': () => on('tools/list', (message) => reply(message, { tools: { echo: {} } })),
  'tool without name': () => on('tools/list', (message) => reply(message, { tools: [{ inputSchema: {} }] })),
  'tool without schema': () => on('tools/list', (message) => reply(message, { tools: [{ name: 'echo' }] })),
  'refuses the list': () =>
    on('tools/list', ({ id }) => send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'no tools today' } })),
  'changes its tools': () => (message) => {
    if (message.method !== 'tools/list') return good(message);
    const [first, ...others] = tools;
    const added = { name: 'added', inputSchema: { type: 'object' } };
    reply(message, {
      tools: ++lists === 1 ? tools : [{ ...first, description: 'Another' }, ...others.slice(1), added],
    });
  },
  'announces other tools': () => (message) => {
    if (isCall(message) && !isModern) send({ jsonrpc: '2.0', method: toolsChanged });
    if (isCall(message) && isModern) modern.announce(toolsChanged, 'toolsListChanged');
    if (message.method !== 'tools/list') return good(message);
    reply(message, { tools: [{ name: `tool-${++lists}`, inputSchema: { type: 'object' } }] });
  },
  'ends at an unknown method': () => on('server/discover', () => process.exit(9)),
  'ignores unknown methods': () => on('server/discover', () => undefined),
  'starts slowly': () => slowly(good),
  'starts slowly, and is what it is greeted as': () => {
    const older = openAnswers();
    let isGreeted = false;
    return slowly((message) => {
      isGreeted ||= message.method === 'initialize';
      return isGreeted ? older(message, send) : modern.answer(message, send);
    });
  },
  'says that it is both': () => (message) =>
    message.method === 'initialize' ? reply(message, greeting) : modern.answer(message, send),
  'became modern': () => (message) => modern.answer(message, send),
  'has versions of the handshake only': () =>
    on('server/discover', (message) => reply(message, { ...discovered, supportedVersions: ['2025-06-18'] })),
  'refuses its own version': () =>
    on('server/discover', ({ id }) => {
      const data = { supported: ['2026-07-28'], requested: '2026-07-28' };
      send({ jsonrpc: '2.0', id, error: { code: -32022, message: 'Unsupported protocol version', data } });
    }),
  'discovery without capabilities': () => greet({ capabilities: undefined }),
  'unknown result type': () => onCall((message) => reply(message, { ...hello, resultType: 'perhaps' })),
  'no result type': () => onCall(({ id }) => send({ jsonrpc: '2.0', id, result: hello })),
  'asks for nothing': () => onCall((message) => reply(message, { resultType: 'input_required' })),
  'asks for unknown input': () => onCall((message) => reply(message, needing({ method: 'files/read' }))),
  'asks for what is not offered': () => onCall((message) => reply(message, needing({ method: 'roots/list' }))),
  'asks with no method': () => onCall((message) => reply(message, needing({}))),
  'state is a number': () => onCall((message) => reply(message, { resultType: 'input_required', requestState: 5 })),
  'asks without end': () =>
    onCall((message) => reply(message, { resultType: 'input_required', requestState: 'again' })),
  'asks before it lists': () =>
    on('tools/list', (message) => reply(message, needing({ method: 'elicitation/create' }))),
  'asks for everything at once': () =>
    onCall(({ id }) => {
      const params = { message: 'Which?', requestedSchema: { type: 'object', properties: {} } };
      const request = { method: 'elicitation/create', params };
      const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`r${index}`, request]));
      reply({ id }, { resultType: 'input_required', inputRequests: many });
    }),
  'offers all changes': () => greet({ capabilities: { tools: { listChanged: true }, prompts: { listChanged: true } } }),
  'refuses to report changes': () =>
    on('subscriptions/listen', ({ id }) => send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'No' } })),
  'does not acknowledge': () => on('subscriptions/listen', () => undefined),
  'ends the stream of changes': () =>
    on('subscriptions/listen', async (message) => {
      void good(message);
      await new Promise((resolve) => setImmediate(resolve));
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } });
    }),
  'will not end': () => {
    process.on('SIGTERM', () => undefined);
    stay();
    return good;
  },
  'leaves a daemon': () => {
    const daemon = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    daemon.unref();
    writeSync(2, `daemon ${daemon.pid}\n`);
    return good;
  },
};

const take = behaviours[mode]();
createInterface({ input: process.stdin }).on('line', (line) => void take(JSON.parse(line)));
