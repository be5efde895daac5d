import * as z from 'zod';
import { serverMonitorSchema } from '../../../domain/server-performance.ts';
import { serverDefinitionSchema } from '../../mcp/server-definition.ts';
import { defineTarget } from '../target.ts';

/** The server that suites are run against. */
const suiteConfigSchema = () =>
  z.strictObject({
    server: serverDefinitionSchema().describe('how the MCP server is started or reached'),
    timeoutMs: z
      .number()
      .min(1)
      .default(30_000)
      .describe('time limit of one request in milliseconds, unless the suite sets `timeout`'),
    monitor: serverMonitorSchema.optional().describe('watch memory and CPU of the server during the suite'),
  });
export type SuiteConfig = z.output<ReturnType<typeof suiteConfigSchema>>;

/** An MCP server whose tools, resources, prompts or requests are tested directly, a suite at a time. */
export const mcpSuiteTarget = defineTarget({
  type: 'mcp-suite',
  summary: 'an MCP server that a suite of tests calls directly, without a model',
  callKey: null,
  provides: [],
  configSchema: suiteConfigSchema,
  async open(config, context) {
    // Most runs test no MCP server, and then none of this need be loaded.
    const { SuiteTarget } = await import('./suite/suite-target.ts');
    return new SuiteTarget(config, context);
  },
});
