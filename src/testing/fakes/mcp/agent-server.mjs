import { createInterface } from 'node:readline';

// An agent as a tool: it remembers the messages of each thread.
const threads = new Map();

function chat({ message, threadId = `thread-${threads.size + 1}` }) {
  if (message === 'die') process.exit(7);
  if (message === 'fail') return { isError: true, content: [{ type: 'text', text: 'the model of the agent is down' }] };
  const heard = [...(threads.get(threadId) ?? []), message];
  threads.set(threadId, heard);
  const answer = { content: `Heard: ${heard.join(', ')}`, threadId, usage: { input_tokens: 3, output_tokens: 4 } };
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

const tools = {
  chat,
  say: ({ message }) => ({ content: [{ type: 'text', text: `Plainly: ${message}` }] }),
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'agent', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name, arguments: args }) => tools[name](args),
};

for await (const line of createInterface(process.stdin)) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const body = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: method } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
}
