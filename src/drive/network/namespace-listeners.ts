import { spawn } from 'node:child_process';
import type { Server } from 'node:net';
import { AssayError } from '../../domain/errors.ts';

const timeoutMs = 30_000;

/**
 * Opens listening sockets and hands them to its parent. Node can pass a socket to another Node process only, so this
 * runs in Node; it is ended as soon as its parent has them.
 */
function listenerProgram(ports: readonly number[]): string {
  return `
const { createServer } = require('node:net');
for (const port of ${JSON.stringify(ports)}) {
  const server = createServer();
  server.listen(port, '127.0.0.1', () => process.send({ port }, server));
}
`;
}

/**
 * Listens on loopback ports of the network namespace of a process. The sockets belong to this process, so nothing that
 * runs in the namespace can take them away, and no program is needed there.
 */
export async function listenInNamespace(pid: number, ports: readonly number[]): Promise<Map<number, Server>> {
  const servers = new Map<number, Server>();
  if (ports.length === 0) return servers;
  const namespaces = ['--target', String(pid), ...(isRoot() ? [] : ['--user', '--preserve-credentials']), '--net'];
  const program = [process.execPath, '-e', listenerProgram(ports)];
  const child = spawn('nsenter', [...namespaces, '--', ...program], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(0, 1_000);
  });
  child.on('message', ({ port }: { port: number }, server) => {
    servers.set(port, server as Server);
    if (servers.size === ports.length) child.kill('SIGKILL');
  });
  const failure = await new Promise<Error | undefined>((resolve) => {
    child.once('error', resolve);
    child.once('close', () => resolve(undefined));
  });
  if (servers.size === ports.length) return servers;
  for (const server of servers.values()) server.close();
  const reason = failure?.message ?? complaint.match(/^(nsenter: .*|Error: .*)$/m)?.[0] ?? 'nsenter failed';
  throw new AssayError('ISOLATION_UNAVAILABLE', `The network of the trial could not be limited: ${reason}.`);
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
