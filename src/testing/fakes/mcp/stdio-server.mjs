import { spawn } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { greeting, openAnswers, tools } from './answers.mjs';

const [mode = 'good'] = process.argv.slice(2);
const answer = openAnswers();
const print = (line) => process.stdout.write(`${line}\n`);
const send = (message) => print(JSON.stringify(message));
const reply = ({ id }, result) => send({ jsonrpc: '2.0', id, result });
const good = (message) => answer(message, send);
const stay = () => setInterval(() => undefined, 60_000);
const isCall = ({ method }) => method === 'tools/call';
const hello = { content: [{ type: 'text', text: 'hello' }] };
let lists = 0;

/** Behaves well but for what happens on one method. */
const on = (method, handle) => (message) => (message.method === method ? handle(message) : good(message));
const onCall = (handle) => on('tools/call', handle);
const greet = (changes) => on('initialize', (message) => reply(message, { ...greeting, ...changes }));
const nested = (levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

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
        send({ jsonrpc: '2.0', method: 'notifications/message', params: { count } });
      reply(message, hello);
    }),
  'request flood': () =>
    onCall((message) => {
      for (let id = 0; id < 5_000; id++) send({ jsonrpc: '2.0', id: `r${id}`, method: 'roots/list' });
      reply(message, hello);
    }),
  'cut off message': () => onCall(({ id }) => print(`{"jsonrpc":"2.0","id":${id},"result":{"content":[`)),
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
  'dies at the greeting': () => on('initialize', () => process.exit(4)),
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
    return on('ping', (message) => {
      reply(message, {});
      closeSync(0);
      send({ jsonrpc: '2.0', method: 'notifications/closed' });
    });
  },
  'old version': () => greet({ protocolVersion: '1999-12-31' }),
  'newer versions': () =>
    on('initialize', ({ id }) => {
      const error = { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2099-01-01'] } };
      send({ jsonrpc: '2.0', id, error });
    }),
  'no version': () => greet({ protocolVersion: undefined }),
  'no name': () => greet({ serverInfo: {} }),
  'no capabilities': () => greet({ capabilities: undefined }),
  'refuses the greeting': () =>
    on('initialize', ({ id }) => send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'no database' } })),
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
    const added = { name: 'added', inputSchema: {} };
    reply(message, {
      tools: ++lists === 1 ? tools : [{ ...first, description: 'Another' }, ...others.slice(1), added],
    });
  },
  'announces other tools': () => (message) => {
    if (isCall(message)) send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    if (message.method !== 'tools/list') return good(message);
    reply(message, { tools: [{ name: `tool-${++lists}`, inputSchema: {} }] });
  },
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
