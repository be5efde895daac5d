/** A small MCP server over stdio without a library: what it does depends on nothing but the calls. */
import { createInterface } from 'node:readline';

const number = { type: 'number' };
const twoNumbers = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
const nothing = { type: 'object', properties: {} };
const text = (value) => ({ content: [{ type: 'text', text: value }] });
let failures = 0;

const tools = {
  add: { inputSchema: twoNumbers, call: ({ a, b }) => text(String(a + b)) },
  divide: {
    inputSchema: twoNumbers,
    outputSchema: { type: 'object', properties: { quotient: number }, required: ['quotient'] },
    call: ({ a, b }) =>
      b === 0
        ? { ...text('Cannot divide by zero'), isError: true }
        : { ...text(JSON.stringify({ quotient: a / b })), structuredContent: { quotient: a / b } },
  },
  greet: {
    inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
    call: ({ name }) => text(`Hello, ${name}!`),
  },
  unsteady: {
    inputSchema: nothing,
    call: () => (++failures < 3 ? { ...text('try again'), isError: true } : text('at last')),
  },
  slow: { inputSchema: nothing, call: () => new Promise((resolve) => setTimeout(() => resolve(text('done')), 300)) },
  settings: { inputSchema: nothing, call: () => text(`key=${process.env.API_KEY} mode=${process.env.MODE}`) },
  crash: { inputSchema: nothing, call: () => process.exit(9) },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'sample', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: Object.entries(tools).map(([name, { call: _call, ...tool }]) => ({ name, description: name, ...tool })),
  }),
  'tools/call': ({ name, arguments: input = {} }) => {
    if (!Object.hasOwn(tools, name)) throw new Error(`Unknown tool: ${name}`);
    return tools[name].call(input);
  },
};

for await (const line of createInterface(process.stdin)) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const send = (answer) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  Promise.resolve()
    .then(() => answers[method]?.(params))
    .then((result) => send(result ? { result } : { error: { code: -32601, message: `unknown method ${method}` } }))
    .catch((error) => send({ error: { code: -32602, message: error.message } }));
}
