import { it } from 'vitest';
import { currentServer } from './current-server.ts';
import type { MCPTestUtils } from './eval-types.ts';
import { skippedWithoutKey } from './skipped-without-key.ts';

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
