import { createInterface } from 'node:readline';

// A server that costs nothing, so that what is measured is the client.
const isModern = process.argv.includes('modern');
const number = { type: 'number' };
const inputSchema = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'trivial', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'add', description: 'Adds two numbers.', inputSchema }] }),
  'tools/call': ({ arguments: { a, b } }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
};

if (isModern) {
  const { initialize, ping: _, 'tools/list': list, 'tools/call': call } = answers;
  const { capabilities, serverInfo } = initialize({});
  const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
  const cacheable = { ttlMs: 60_000, cacheScope: 'private' };
  const complete = { resultType: 'complete' };
  delete answers.initialize;
  delete answers.ping;
  answers['server/discover'] = () => ({
    ...complete,
    supportedVersions: ['2026-07-28'],
    capabilities,
    ...cacheable,
    _meta,
  });
  answers['tools/list'] = () => ({ ...complete, ...list(), ...cacheable });
  answers['tools/call'] = (params) => ({ ...complete, ...call(params) });
}

for await (const line of createInterface(process.stdin)) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: `no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
}
