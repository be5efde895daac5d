import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ServerDefinition, serverDefinitionSchema } from '../../../drive/mcp/server-definition.ts';

/** A server on loopback that has one address for each behaviour. */
export interface HttpFake extends AsyncDisposable {
  define(transport: 'shttp' | 'sse', mode: string, rest?: Record<string, unknown>): ServerDefinition;
}

const program = fileURLToPath(new URL('./http-server.mjs', import.meta.url));

/** Starts the server in its own process, which keeps its output out of the memory of the test. */
export async function startHttpServer(): Promise<HttpFake> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const origin = `http://127.0.0.1:${String(port).trim()}`;
  return {
    define: (transport, mode, rest = {}) => {
      const url = `${origin}/${encodeURIComponent(mode)}/${transport === 'sse' ? 'sse' : 'mcp'}`;
      return serverDefinitionSchema().parse({ transport, url, ...rest });
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
