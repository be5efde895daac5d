// A server that remembers: `add` changes what `list` answers. Its results have an order of keys, and numbers, that a
// careless copy would lose.
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const titles = [];
const result = (text, more = {}) => ({ content: [{ type: 'text', text }], ...more });
const tools = {
  add: ({ title }) => result(`added ${title}`, { structuredContent: { z: titles.push(title), a: 1e21, 2: 'two' } }),
  list: () => result(titles.join(', ') || 'no tasks'),
  whoami: () => result(`key ${process.env.TASKS_API_KEY} in ${process.cwd()}`),
  fail: () => result('out of paper', { isError: true }),
};
const schema = { type: 'object', properties: { title: { type: 'string' } } };
const listed = Object.keys(tools).map((name) => ({ name, inputSchema: schema }));

function answer({ method, params }) {
  if (method === 'tools/list') return { result: { tools: listed } };
  if (method === 'tools/call') return { result: tools[params.name](params.arguments ?? {}) };
  if (method !== 'initialize') return { error: { code: -32601, message: `no ${method}` } };
  const serverInfo = { name: 'tasks', version: existsSync('version.txt') ? readFileSync('version.txt', 'utf8') : '1' };
  return { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const notice = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: message.method } };
  if (message.method === 'tools/call') console.log(JSON.stringify(notice));
  console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(message) }));
});
