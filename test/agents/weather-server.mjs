// An MCP server with one tool.
import { createInterface } from 'node:readline';

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'weather', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: [{ name: 'forecast', description: 'tells the weather', inputSchema: { type: 'object', properties: {} } }],
  }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'sunny' }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}
