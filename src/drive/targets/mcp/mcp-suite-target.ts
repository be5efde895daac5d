import { defineTarget } from '../target.ts';
import { suiteConfigSchema } from './suite/suite-config.ts';

/** An MCP server whose tools, resources, prompts or requests are tested directly, a suite at a time. */
export const mcpSuiteTarget = defineTarget({
  type: 'mcp-suite',
  summary: 'an MCP server that a suite of tests asks directly, without a model',
  callKey: null,
  provides: [],
  configSchema: suiteConfigSchema,
  async open(config, context) {
    // Most runs test no MCP server, and then none of this need be loaded.
    const { SuiteTarget } = await import('./suite/suite-target.ts');
    return new SuiteTarget(config, context);
  },
});
