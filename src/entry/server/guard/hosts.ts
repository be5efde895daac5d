import { isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]'];

/** True for addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The host as it stands in an address. */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** The values of `Host` that requests for a server may name; any other belongs to somebody's rebound name. */
export function allowedHosts(host: string, port: number, named: readonly string[] = []): ReadonlySet<string> {
  const own = isLoopback(host) ? [host] : isEverywhere(host) ? machineHosts() : [host];
  const withPort = [...loopbackHosts, ...own.map(urlHost)].map((name) => `${name}:${port}`);
  const withoutPort = port === 80 ? loopbackHosts : [];
  return new Set([...withPort, ...withoutPort, ...named].map((name) => name.toLowerCase()));
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function machineHosts(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [hostname(), ...addresses.map(({ address }) => address)];
}
