import type { Starter } from './starter.ts';

const server = `/** The MCP server under test, over stdio and without a library: replace it with yours. */
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

function call({ name, arguments: { a, b } = {} }) {
  if (name !== 'add') return failed(\`there is no tool named \${name}\`);
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
  const error = { code: -32601, message: \`unknown method \${method}\` };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answer ? { result: answer(params) } : { error }) }));
}
`;

const suite = `# A server, and tests that call its tools directly. Check the file with: assay validate
# Check the definitions of the tools with: assay mcp-check -- node server.mjs
server:
  transport: stdio # or shttp or sse, with a url
  command: node
  args: [../server.mjs]
toolHealthSuites:
  - name: Calculator
    description: The tool adds, and refuses anything that is not a number
    tests:
      - { name: add, description: adds two numbers, args: { a: 2, b: 3 }, expectedResult: 5, maxLatency: 1000 }
      - { name: add, description: adds fractions, args: { a: 0.1, b: 0.2 }, expectedResult: 0.3 }
      - { name: add, description: refuses text, args: { a: two, b: 3 }, expectedError: must be numbers }
# A model can use the tools to do a task (assay models lists the available ones):
# workflows:
#   - name: Shopping
#     steps: [{ user: What do 12.50 and 7.25 make together?, expectTools: [add], expectedState: '19.75' }]
`;

const config = `# Defaults for this project. Every key: assay schema config
scenarios: [scenarios]
`;

/** An MCP server. */
export const mcpServerStarter: Starter = {
  kind: 'mcp-server',
  summary: 'an MCP server: its tools called directly, or by a model',
  files: [
    { path: 'assay.config.yaml', purpose: 'defaults of the project', text: config },
    { path: 'scenarios/calculator.yaml', purpose: 'the server and tests of its tools', text: suite },
    { path: 'server.mjs', purpose: 'the MCP server under test', text: server },
  ],
};
