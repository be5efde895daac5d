import { resolve } from 'node:path';
import { readProxySpec, runProxy } from '../../../drive/mcp/proxy/proxy.ts';
import type { CliCommand } from '../command.ts';

/** `assay mcp-proxy`: started by agents in place of an MCP server, to record the requests to it. */
export const mcpProxy: CliCommand = {
  configure(command) {
    command.argument('<spec>', 'file that Assay has written for the trial');
  },
  run: ({ args: [file = ''], context }) => runProxy(readProxySpec(resolve(context.cwd, file)), context),
};
