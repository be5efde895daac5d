// An MCP server with one tool; it keeps a log of its own of the calls that it got.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const city = { type: 'string', description: 'where' };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'weather', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: [
      { name: 'forecast', description: 'tells the weather', inputSchema: { type: 'object', properties: { city } } },
    ],
  }),
  'tools/call': ({ name, arguments: input }) => {
    appendFileSync(`${process.env.HOME}/weather.log`, `${JSON.stringify({ tool: name, input })}\n`);
    return { content: [{ type: 'text', text: `It is sunny in ${input?.city}.` }] };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}
