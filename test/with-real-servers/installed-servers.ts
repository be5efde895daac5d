import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** The folder into which `npm run test:servers` has installed a kind of server; undefined when it could not. */
export function installedServer(name: 'mcp-servers' | 'conformance' | 'mcp-python' | 'langgraph'): string | undefined {
  const told = process.env.ASSAY_TEST_SERVERS;
  if (told === undefined) throw new Error('Run these tests with `npm run test:servers`, which installs the servers.');
  return (JSON.parse(told) as Record<string, string>)[name];
}

/** The program of one of MCP's own servers. */
export function mcpProgram(server: 'everything' | 'filesystem' | 'memory' | 'sequential-thinking'): string {
  const folder = installedServer('mcp-servers') ?? '';
  return join(folder, 'node_modules', '@modelcontextprotocol', `server-${server}`, 'dist', 'index.js');
}

/** A port of the loopback interface that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

interface Listening extends AsyncDisposable {
  readonly url: string;
}

/** Starts a server, and waits until it answers at `path` of its address. */
export async function listening(
  argv: readonly [string, ...string[]],
  path: string,
  options: { readonly port: number; readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Listening> {
  const [program, ...args] = argv;
  const env = { ...process.env, ...options.env, PORT: String(options.port) };
  const child = spawn(program, args, { cwd: options.cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4_000);
    });
  }
  const url = `http://127.0.0.1:${options.port}`;
  for (let look = 0; look < 600; look++) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}: ${printed}`);
    if (await answers(`${url}${path}`)) return { url, [Symbol.asyncDispose]: () => end(child) };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await end(child);
  throw new Error(`The server does not answer at ${url}${path}: ${printed}`);
}

async function answers(url: string): Promise<boolean> {
  const asking = new AbortController();
  try {
    await fetch(url, { signal: asking.signal });
    return true;
  } catch {
    return false;
  } finally {
    asking.abort();
  }
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve();
    child.on('exit', () => resolve());
    process.kill(-child.pid, 'SIGKILL');
  });
}
