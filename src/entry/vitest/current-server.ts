import { it } from 'vitest';
import type { MCPTestUtils, ServerConfig } from './eval-types.ts';
import { AssayError } from './program.ts';
import { skippedWithoutKey } from './registration.ts';
import { ServerUnderTest } from './server-under-test.ts';

export interface SetupOptions {
  /** Milliseconds for starting the server, and for each call; 30,000 by default. */
  readonly timeout?: number;
  /** Logs calls and answers on stderr. */
  readonly debug?: boolean;
  /** Drives workflows, as provider/model; anthropic/claude-sonnet-4-5 by default. */
  readonly model?: string;
}

interface Setup {
  readonly server: Promise<ServerUnderTest>;
  readonly giveUp: AbortController;
}

/**
 * The servers that are set up, the latest last. Tests do not name a server, so it must be
 * known here; files of tests that share a process run one after the other.
 */
const setups: Setup[] = [];

/** Starts a server for the tests that follow; `teardownMCPServer` ends it. */
export async function setupMCPServer(server: ServerConfig, options: SetupOptions = {}): Promise<MCPTestUtils> {
  const { timeout = 30_000, debug = false, model } = options;
  const giveUp = new AbortController();
  const { signal } = giveUp;
  const starting = ServerUnderTest.start(server, { timeoutMs: timeout, isDebugged: debug, model, signal });
  setups.push({ server: starting, giveUp });
  return (await starting).utils();
}

/** Ends the server that was set up last, also one that is still starting; does nothing when there is none. */
export async function teardownMCPServer(): Promise<void> {
  const setup = setups.pop();
  if (!setup) return;
  setup.giveUp.abort();
  const server = await setup.server.catch(() => undefined);
  await server?.[Symbol.asyncDispose]();
}

/** Ends all servers, such as those that a file of tests forgot. */
export async function teardownAll(): Promise<void> {
  while (setups.length > 0) await teardownMCPServer();
}

/** The server that was set up last. */
async function currentServer(): Promise<ServerUnderTest> {
  const setup = setups.at(-1);
  if (setup) return setup.server;
  throw new AssayError(
    'USAGE',
    'No server is running: call setupMCPServer in beforeAll, before the tests that use it.',
  );
}

/** A test of the server that was set up last; `timeout` is in milliseconds. */
export function mcpTest(name: string, test: (utils: MCPTestUtils) => unknown, timeout = 30_000): void {
  it(
    name,
    async (context) => {
      const server = await currentServer();
      await skippedWithoutKey(context, async () => test(server.utils(context.signal)));
    },
    timeout,
  );
}
