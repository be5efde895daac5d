import { resolve } from 'node:path';
import { readProxySpec, runProxy } from '../../../drive/mcp/proxy/proxy.ts';
import type { CliCommand } from '../command.ts';

/** `assay mcp-proxy`: what agents start in place of an MCP server, so that what it is asked is on record. */
export const mcpProxy: CliCommand = {
  configure(command) {
    command.argument('<spec>', 'file that Assay has written for the trial');
  },
  run: ({ args: [file = ''], context }) => runProxy(readProxySpec(resolve(context.cwd, file)), context),
};
