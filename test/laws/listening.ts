import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback; it is closed with all its connections. */
export async function listening(server: Server): Promise<AsyncDisposable & { readonly url: string }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
