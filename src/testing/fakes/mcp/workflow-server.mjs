// A small MCP server over stdio for tests of workflows; what is special about it is said by its arguments.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [logFile, ...modes] = process.argv.slice(2);
const number = { type: 'number' };
const pair = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
const nothing = { type: 'object' };

const tools = [
  { name: 'add', description: 'Adds two numbers', inputSchema: pair },
  { name: 'multiply', description: 'Multiplies two numbers', inputSchema: pair },
  { name: 'divide', description: 'Divides two numbers', inputSchema: pair },
  {
    name: 'note.take',
    description: 'Takes a note',
    inputSchema: { type: 'object', properties: { $text: { type: 'string' } } },
  },
  { name: 'crash', description: 'Ends the server', inputSchema: nothing },
  { name: 'wait', description: 'Never answers', inputSchema: nothing },
  { name: 'refuse', description: 'Answers with an error of the protocol', inputSchema: nothing },
  { name: 'long', description: 'Says much', inputSchema: nothing },
  { name: 'change', description: 'Changes the tools', inputSchema: nothing },
];
if (modes.includes('odd-schemas')) {
  tools.push({
    name: 'odd',
    description: 'Odd',
    inputSchema: { type: 'object', oneOf: [{ properties: { x: { type: 'whatever' } } }] },
  });
}

const text = (said) => ({ content: [{ type: 'text', text: said }] });

const answers = {
  add: ({ a, b }) => text(`The sum is ${a + b}`),
  multiply: ({ a, b }) => ({ ...text(JSON.stringify({ product: a * b })), structuredContent: { product: a * b } }),
  divide: ({ a, b }) => (b === 0 ? { ...text('cannot divide by zero'), isError: true } : text(String(a / b))),
  'note.take': ({ $text }) => text(`noted: ${$text}`),
  crash: () => process.exit(7),
  long: () => text(`begin ${'x'.repeat(200_000)} end`),
  change({ tool, announced } = {}) {
    if (announced) process.stdout.write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n');
    if (tool !== undefined) tools.find(({ name }) => name === tool).description = 'Something else';
    else tools.push({ name: 'late', description: 'Came later', inputSchema: nothing });
    return text('changed');
  },
};

/** Two pages, of which the last has an empty cursor. */
function pageOf(cursor) {
  return cursor === 'rest'
    ? { tools: tools.slice(4), nextCursor: '' }
    : { tools: tools.slice(0, 4), nextCursor: 'rest' };
}

function resultOf({ method, params }) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'workflow-server', version: '1.2.3' };
    return { protocolVersion, capabilities: { tools: {} }, serverInfo, instructions: 'Numbers are exact here.' };
  }
  if (method === 'tools/list') return modes.includes('pages') ? pageOf(params.cursor) : { tools };
  return method === 'tools/call' ? answers[params.name]?.(params.arguments ?? {}) : {};
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const { id, method, params } = request;
  if (method === 'tools/call' && logFile !== '-') {
    const { _meta, ...call } = params;
    appendFileSync(logFile, `${JSON.stringify(call)}\n`);
  }
  if (id === undefined || params?.name === 'wait') continue;
  const answer =
    params?.name === 'refuse' ? { error: { code: -32_602, message: 'no such luck' } } : { result: resultOf(request) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
