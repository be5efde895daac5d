import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ServerDefinition, serverDefinitionSchema } from '../../../drive/mcp/server-definition.ts';
import type { Era } from '../../../drive/mcp/session.ts';

/** A server on loopback that has one address for each behaviour. */
export interface HttpFake extends AsyncDisposable {
  define(transport: 'shttp' | 'sse', mode: string, rest?: Record<string, unknown>, era?: Era): ServerDefinition;
}

const program = fileURLToPath(new URL('./http-server.mjs', import.meta.url));

/** Starts the server in its own process, which keeps its output out of the memory of the test. */
export async function startHttpServer(): Promise<HttpFake> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  let clients = 0;
  const origin = `http://127.0.0.1:${String(port).trim()}`;
  return {
    define: (transport, mode, rest = {}, era = 'legacy') => {
      const older = transport === 'sse' ? 'sse' : 'mcp';
      const url = `${origin}/${encodeURIComponent(mode)}/${era === 'modern' ? `modern/${++clients}` : older}`;
      return serverDefinitionSchema().parse({ transport, url, ...rest });
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
