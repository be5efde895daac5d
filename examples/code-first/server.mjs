/** An MCP server with one tool, in plain JSON-RPC on stdin and stdout. */
import { createInterface } from 'node:readline';

const tool = {
  name: 'celsius',
  description: 'Converts degrees Fahrenheit to degrees Celsius.',
  inputSchema: { type: 'object', properties: { fahrenheit: { type: 'number' } }, required: ['fahrenheit'] },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'thermometer', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { fahrenheit } }) => ({
    content: [{ type: 'text', text: String(((fahrenheit - 32) * 5) / 9) }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const reply = answer ? { result: answer(params) } : { error: { code: -32601, message: `unknown method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`);
}
