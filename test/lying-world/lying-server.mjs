/** An MCP server over stdio; its argument names the lie that it tells. */
import { createInterface } from 'node:readline';

const lie = process.argv[2] ?? 'none';
const tool = { name: 'add', description: 'Add two numbers', inputSchema: { type: 'object' } };
const sum = { content: [{ type: 'text', text: '3' }] };

const results = {
  'no content': { content: [] },
  'no result': undefined,
  'another type': 'three',
  'an error as text': { content: [{ type: 'text', text: 'Error: the adder is offline' }], isError: true },
  'half of it': { content: [{ type: 'text' }] },
};

function capabilities() {
  return lie === 'no tools' ? {} : { tools: {} };
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const refuse = (id, code, message) => send({ id, error: { code, message } });

const handlers = {
  initialize: (id, { protocolVersion }) =>
    send({ id, result: { protocolVersion, capabilities: capabilities(), serverInfo: { name: 'liar', version: '1' } } }),
  ping: (id) => send({ id, result: {} }),
  'tools/list': (id) =>
    lie === 'no tools' ? refuse(id, -32601, 'Method not found') : send({ id, result: { tools: [tool] } }),
  'tools/call': (id) => {
    if (lie === 'no tools' || lie === 'method not found') return refuse(id, -32601, 'Method not found');
    if (lie === 'silence') return undefined;
    if (lie === 'death') return process.exit(9);
    if (lie === 'not JSON') return process.stdout.write('{"jsonrpc":"2.0","id":\n');
    if (lie === 'another id') return send({ id: 4711, result: sum });
    if (lie === 'twice') send({ id, result: sum });
    return send(lie in results ? { id, result: results[lie] } : { id, result: sum });
  },
};

for await (const text of createInterface(process.stdin)) {
  const { id, method, params = {} } = JSON.parse(text);
  if (id === undefined) continue;
  const handler = handlers[method];
  if (handler) handler(id, params);
  else refuse(id, -32601, 'Method not found');
}
