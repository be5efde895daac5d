import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

/**
 * The sample server, built with the SDK 2.x. The first argument says which eras it speaks: `legacy`, `modern` or
 * `both`. Served over HTTP where a port is the second one, and over stdio otherwise.
 */
const [, , eras, port] = process.argv;

function makeServer() {
  const server = new McpServer({ name: 'sample', version: '1.0.0' });
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool('fail', { description: 'Always fails' }, () => {
    throw new Error('it did not work');
  });
  server.registerTool('order', { description: 'Asks for a dish and orders it' }, (context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, 'dish');
    if (given) return { content: [{ type: 'text', text: `ordered ${given.dish}` }] };
    const requestedSchema = { type: 'object', properties: { dish: { type: 'string' } }, required: ['dish'] };
    const dish = inputRequired.elicit({ message: 'Which dish?', requestedSchema });
    return inputRequired({ inputRequests: { dish }, requestState: 'waits for the dish' });
  });
  server.registerResource('note', 'note://first', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'first note' }],
  }));
  server.registerPrompt('greet', { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }],
  }));
  return server;
}

if (port !== undefined) {
  const handler = createMcpHandler(makeServer, { legacy: eras === 'modern' ? 'reject' : 'stateless' });
  const http = createServer(getRequestListener(handler.fetch));
  http.listen(Number(port), '127.0.0.1', () => console.log(http.address().port));
} else if (eras === 'legacy') {
  await makeServer().connect(new StdioServerTransport());
} else {
  serveStdio(makeServer, { legacy: eras === 'modern' ? 'reject' : 'serve' });
}
