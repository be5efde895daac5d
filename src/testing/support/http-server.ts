import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on the loopback address that is closed when the test has finished; gives its URL. */
export function serve(answer: RequestListener): Promise<string> {
  return listen(createServer(answer), 'http');
}

/** The same for a server that was made elsewhere. */
export async function listen(server: Server, scheme: 'http' | 'https'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers by path; what is not there is a 404. */
export function routes(table: Readonly<Record<string, RequestListener>>): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://any');
    const answer = table[pathname] ?? ((_, missing) => missing.writeHead(404).end());
    answer(request, response);
  };
}

/** Answers with a status and a body. */
export function reply(status: number, body: string, headers: Readonly<Record<string, string>> = {}): RequestListener {
  return (_, response) => response.writeHead(status, headers).end(body);
}

/** All of a request's body as text. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  return (await request.setEncoding('utf8').toArray()).join('');
}
