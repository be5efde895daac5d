import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { programPath } from './assay.ts';
import { storeEnvironment } from './project-store.ts';

/** Answer of a tool: its text, and its structured content. */
interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type CallOptions = NonNullable<Parameters<Client['callTool']>[1]>;

/** A client of `assay mcp` in a folder; the server ends with the test. */
export interface ConnectedClient {
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>;
}

/** Starts the built program as MCP clients do. */
export async function connectToAssay(
  folder: string,
  env: Record<string, string> = {},
  options: ConstructorParameters<typeof Client>[1] = {},
): Promise<ConnectedClient> {
  const { PATH = '', HOME = '' } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programPath, 'mcp'],
    cwd: folder,
    env: { PATH, HOME, ...storeEnvironment(folder), ...env },
    stderr: 'ignore',
  });
  return connected(transport, options);
}

/** The address and the token of `assay mcp --port`. */
interface HttpAddress {
  readonly url: string;
  readonly token: string;
}

/** Connects to a running `assay mcp --port`. */
export function connectOverHttp(
  { url, token }: HttpAddress,
  options: ConstructorParameters<typeof Client>[1] = {},
): Promise<ConnectedClient> {
  const headers = { authorization: `Bearer ${token}` };
  return connected(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), options);
}

async function connected(
  transport: Transport,
  options: ConstructorParameters<typeof Client>[1],
): Promise<ConnectedClient> {
  const client = new Client({ name: 'test', version: '1' }, options);
  onTestFinished(() => client.close());
  await client.connect(transport);
  return {
    client,
    async call(name, args = {}, options = {}) {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: args }, options);
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
      return { isError: isError === true, text, data: (structuredContent ?? {}) as ToolAnswer['data'] };
    },
  };
}
