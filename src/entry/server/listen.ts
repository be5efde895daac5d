import type { Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { AssayError } from '../../domain/errors.ts';
import { loopbackHosts } from '../../shared/http/guarded-server.ts';

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
  if (error.code === 'EADDRINUSE') return 'it is in use';
  return error.code === 'EACCES' ? 'permission is denied' : error.message;
}

/** True for addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The host as it stands in an address. */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** The values of `Host` that requests for a server may name; any other may be a rebound name. */
export function allowedHosts(host: string, port: number, named: readonly string[] = []): ReadonlySet<string> {
  const own = isLoopback(host) ? [host] : isEverywhere(host) ? machineHosts() : [host];
  const withPort = own.map((name) => `${urlHost(name)}:${port}`);
  return new Set([...loopbackHosts(port), ...withPort, ...named].map((name) => name.toLowerCase()));
}

/** The hosts under which browsers reach a server, as they stand in addresses; this machine's own name for it is first. */
export function reachableHosts(host: string): string[] {
  if (!isEverywhere(host)) return [urlHost(host)];
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // Link-local addresses need the name of an interface, which addresses of pages cannot have.
  const others = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const reachable = host === '::' ? others : others.filter(({ family }) => family === 'IPv4');
  return ['127.0.0.1', ...reachable.map(({ address }) => urlHost(address))];
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function machineHosts(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [hostname(), ...addresses.map(({ address }) => address)];
}
