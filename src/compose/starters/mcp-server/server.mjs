/** The MCP server under test, over stdio and without a library: replace it with yours. */
import { createInterface } from 'node:readline';

const number = { type: 'number' };
const tools = [
  {
    name: 'add',
    description: 'Adds two numbers and returns their sum.',
    inputSchema: {
      type: 'object',
      properties: { a: { ...number, description: 'first number' }, b: { ...number, description: 'second number' } },
      required: ['a', 'b'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
];

function call({ name, arguments: { a, b, ...others } = {} }) {
  if (name !== 'add') return failed(`there is no tool named ${name}`);
  const [other] = Object.keys(others);
  if (other !== undefined) return failed(`there is no argument named ${other}`);
  if (typeof a !== 'number' || typeof b !== 'number') return failed('a and b must be numbers');
  return { content: [{ type: 'text', text: String(a + b) }] };
}

function failed(text) {
  return { content: [{ type: 'text', text }], isError: true };
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'calculator', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': call,
};

for await (const line of createInterface(process.stdin)) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const error = { code: -32601, message: `unknown method ${method}` };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answer ? { result: answer(params) } : { error }) }));
}
