import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const path = '/callback';
const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Assay</title><p style="font:1rem system-ui;margin:3rem">${text}</p>`;

/** Listens on the port, or on any if it is taken or 0. */
export async function listenForRedirect(port = 0) {
  let resolve: (answer: URLSearchParams) => void = () => undefined;
  const answer = new Promise<URLSearchParams>((arrived) => {
    resolve = arrived;
  });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', connection: 'close' };
    if (request.method !== 'GET' || url.pathname !== path) return void response.writeHead(404, headers).end();
    response.writeHead(200, headers).end(page('Assay has the answer. Close this page and return to the terminal.'));
    resolve(url.searchParams);
  });
  const listen = (wanted: number): Promise<void> =>
    new Promise((ready, failed) => {
      server.once('error', failed).listen(wanted, '127.0.0.1', () => {
        server.off('error', failed);
        ready();
      });
    });
  await listen(port).catch(() => listen(0));
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
