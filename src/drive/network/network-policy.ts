import { isIP } from 'node:net';
import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';

const hostPattern = /^(?:(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const hostMessage = 'must be a host, such as `example.com`, `*.example.com` or `localhost:8080`';
const highestPort = 65_535;

/** Network of an agent. */
export const networkSchema = lazySchema(() =>
  z.union([
    z.enum(['open', 'model-only', 'none']),
    z.strictObject({
      allow: z
        .array(z.string().refine(isHost, { message: hostMessage }))
        .describe('hosts besides the model, as `host` (ports 80 and 443), `host:port` or `*.host`'),
    }),
  ]),
);
export type Network = z.output<typeof networkSchema>;

function isHost(text: string): boolean {
  const { port = highestPort } = parseHost(text);
  return hostPattern.test(text) && port >= 1 && port <= highestPort;
}

/** A host that may be reached. */
export interface AllowedHost {
  /** In lower case; one that starts with a dot stands for every host below it. */
  readonly name: string;
  /** Undefined: the ports of the web. */
  readonly port: number | undefined;
}

/** The host that a text of the allow-list or of a request names. */
export function parseHost(text: string): AllowedHost {
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  return { name: plainName(name), port: port === undefined ? undefined : Number(port) };
}

function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\*\./, '.')
    .replace(/^\[|\]$/g, '')
    .replace(/(?<=.)\.$/, '');
}

const webPorts: readonly number[] = [80, 443];

/** Whether one of the hosts covers a name and a port. */
export function isAllowed(allowed: readonly AllowedHost[], host: string, port: number): boolean {
  const wanted = plainName(host);
  return allowed.some(
    ({ name, port: only }) =>
      (only === undefined ? webPorts.includes(port) : only === port) &&
      (name.startsWith('.') ? isIP(wanted) === 0 && wanted.endsWith(name) : name === wanted),
  );
}

/** Whether a host is this machine itself. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || /^127(\.\d+){3}$/.test(name);
}
