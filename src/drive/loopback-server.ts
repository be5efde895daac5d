import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Server as SocketServer } from 'node:net';
import { AssayError } from '../domain/errors.ts';

const loopback = '127.0.0.1';

/** Opens a port that only this machine reaches, a free one for 0; gives the address of the server. */
export async function listenOnLoopback(server: SocketServer, port: number): Promise<string> {
  server.listen(port, loopback);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'it is in use' : (error as Error).message;
    const hint = 'Name another port, or leave it out to use a free one.';
    throw new AssayError('USAGE', `Port ${port} cannot be opened: ${reason}.`, { hint, cause: error });
  }
  return `http://${loopback}:${(server.address() as AddressInfo).port}`;
}

/** Ends the server with all its connections. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
