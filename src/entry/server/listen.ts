import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AssayError } from '../../domain/errors.ts';

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly mayMovePort: boolean;
}

const mostTries = 100;

/** Listens on a port, or on the next free one where that is allowed; gives the port. */
export async function listen(server: Server, { host, port, mayMovePort }: ListenOptions): Promise<number> {
  const last = mayMovePort && port !== 0 ? Math.min(port + mostTries, 65_535) : port;
  for (let tried = port; ; tried += 1) {
    const error = await tryToListen(server, host, tried);
    if (!error) return (server.address() as AddressInfo).port;
    if (error.code === 'EADDRINUSE' && tried < last) continue;
    throw new AssayError('USAGE', `Cannot listen on ${host}:${tried}: ${reasonOf(error)}.`, {
      hint: 'Name another one with --port or --host.',
      cause: error,
    });
  }
}

function tryToListen(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const onError = (error: NodeJS.ErrnoException): void => resolve(error);
    server.once('error', onError);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', onError);
      resolve(undefined);
    });
  });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return 'it is taken';
  return error.code === 'EACCES' ? 'this is not allowed' : error.message;
}
