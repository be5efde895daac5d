import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * The sample server, built with the SDK 1.x of the folder that is the first argument; served over HTTP where a port is
 * the second one, and over stdio otherwise.
 */
const [, , folder, port] = process.argv;
const { resolve } = createRequire(`${folder}/package.json`);
const load = (name) => import(pathToFileURL(resolve(name)).href);
const { McpServer } = await load('@modelcontextprotocol/sdk/server/mcp.js');
const z = await load('zod');

function makeServer() {
  const server = new McpServer({ name: 'sample', version: '1.0.0' });
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers',
      inputSchema: { a: z.number(), b: z.number() },
      outputSchema: { sum: z.number() },
    },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool('fail', { description: 'Always fails' }, () => {
    throw new Error('it did not work');
  });
  server.registerTool('order', { description: 'Asks for a dish and orders it' }, async () => {
    const requestedSchema = { type: 'object', properties: { dish: { type: 'string' } }, required: ['dish'] };
    const { content } = await server.server.elicitInput({ message: 'Which dish?', requestedSchema });
    return { content: [{ type: 'text', text: `ordered ${content?.dish}` }] };
  });
  server.registerResource('note', 'note://first', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'first note' }],
  }));
  server.registerPrompt('greet', { argsSchema: { name: z.string() } }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }],
  }));
  return server;
}

if (port === undefined) {
  const { StdioServerTransport } = await load('@modelcontextprotocol/sdk/server/stdio.js');
  await makeServer().connect(new StdioServerTransport());
} else {
  const { StreamableHTTPServerTransport } = await load('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const { randomUUID } = await import('node:crypto');
  const sessions = new Map();
  createServer(async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id']);
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
    if (!known) await makeServer().connect(transport);
    await transport.handleRequest(request, response);
  }).listen(Number(port), '127.0.0.1');
}
