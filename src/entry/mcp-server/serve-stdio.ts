import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { AssayServers, type ServedProject } from './assay-servers.ts';

interface StdioOptions extends ServedProject {
  readonly stdin: Readable;
  /** Carries the protocol and nothing else. */
  readonly stdout: Writable;
  /** Ends the server, and with it every run. */
  readonly signal: AbortSignal;
  /** For what the protocol has no place for. */
  readonly log: (message: string) => void;
}

/** Serves the tools over stdio until the client goes away or the signal comes; every call has ended by then. */
export async function serveOverStdio(options: StdioOptions): Promise<void> {
  const { stdin, stdout, log } = options;
  const ending = new AbortController();
  class Connection extends StdioServerTransport {
    override async close(): Promise<void> {
      ending.abort();
      await super.close();
    }
  }
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const servers = new AssayServers(options, signal);
  const onerror = (error: Error): void => log(error.message);
  const handle = serveStdio(servers.make, { transport: new Connection(stdin, stdout), onerror });
  if (!signal.aborted) await once(signal, 'abort');
  await servers.settled();
  await handle.close();
}
