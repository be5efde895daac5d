/** The orders of the shop as an MCP server, over stdio and without a library. */
import { createInterface } from 'node:readline';

const id = { type: 'integer', minimum: 1, maximum: 99, description: 'number of the order' };
const readOnly = { readOnlyHint: true };
const tools = [
  {
    name: 'find_order',
    description: 'Finds an order of the shop by its number.',
    inputSchema: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
    annotations: readOnly,
  },
  {
    name: 'lookup_order',
    description: 'Finds an order of the shop by the number.',
    inputSchema: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
    annotations: readOnly,
  },
  {
    name: 'list_orders',
    description: 'Lists orders in a state.',
    inputSchema: {
      type: 'object',
      properties: {
        state: { enum: ['shipped', 'returned'], description: 'state of the orders' },
        limit: { type: 'integer', minimum: 1, maximum: 50, description: 'most orders to list' },
      },
      required: ['state'],
      additionalProperties: false,
    },
    annotations: readOnly,
  },
  {
    name: 'cancel_order',
    description: 'Cancels an order.',
    inputSchema: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: true },
  },
];

function problemIn(name, args) {
  const tool = tools.find((each) => each.name === name);
  if (!tool) return `there is no tool named ${name}`;
  const { properties, required } = tool.inputSchema;
  const missing = required.find((key) => !(key in args));
  if (missing) return `${missing} is missing`;
  for (const [key, value] of Object.entries(args)) {
    const schema = properties[key];
    if (!schema) return `${key} is unknown`;
    if (schema.enum && !schema.enum.includes(value)) return `${key} must be one of ${schema.enum.join(', ')}`;
    if (schema.type === 'integer' && !(Number.isInteger(value) && value >= schema.minimum && value <= schema.maximum))
      return `${key} must be a whole number from ${schema.minimum} to ${schema.maximum}`;
  }
  return undefined;
}

function call({ name, arguments: args = {} }) {
  const problem = problemIn(name, args);
  if (problem) return { content: [{ type: 'text', text: problem }], isError: true };
  const answer = name === 'list_orders' ? { state: args.state, orders: [17] } : { id: args.id, state: 'shipped' };
  return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'orders', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': call,
};

for await (const line of createInterface(process.stdin)) {
  const { id: request, method, params = {} } = JSON.parse(line);
  if (request === undefined) continue;
  const answer = answers[method];
  const error = { code: -32601, message: `unknown method ${method}` };
  console.log(JSON.stringify({ jsonrpc: '2.0', id: request, ...(answer ? { result: answer(params) } : { error }) }));
}
