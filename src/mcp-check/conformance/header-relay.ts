import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream';
import { closeServer, listenOnLoopback } from '../../drive/loopback-server.ts';

/** An address on this machine behind which every request gets further headers. */
interface HeaderRelay extends AsyncDisposable {
  readonly url: string;
}

/** Headers that belong to one connection. */
const ofConnection = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection']);

/** Opens a relay for programs that cannot send headers themselves. */
export async function openHeaderRelay(target: string, headers: Readonly<Record<string, string>>): Promise<HeaderRelay> {
  const server = createServer((incoming, response) => relay(new URL(target), headers, incoming, response));
  const address = await listenOnLoopback(server, 0);
  return { url: `${address}/mcp`, [Symbol.asyncDispose]: () => closeServer(server) };
}

function relay(
  target: URL,
  headers: Readonly<Record<string, string>>,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  const kept = Object.entries(incoming.headers).filter(([name]) => !ofConnection.has(name));
  const outgoing = send(target, { method: incoming.method, headers: { ...Object.fromEntries(kept), ...headers } });
  outgoing.on('response', (answer) => {
    const passed = Object.entries(answer.headers).filter(([name]) => !ofConnection.has(name));
    response.writeHead(answer.statusCode ?? 502, Object.fromEntries(passed));
    response.flushHeaders();
    pipeline(answer, response, () => undefined);
  });
  outgoing.on('error', () => {
    if (!response.headersSent) response.writeHead(502);
    response.end();
  });
  response.on('close', () => outgoing.destroy());
  pipeline(incoming, outgoing, () => undefined);
}
