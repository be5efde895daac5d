import type { MCPTestContext } from '../../../entry/vitest/eval-types.ts';

/** The context of a scorer for a case on a server with the given tools. */
export function testContext(tools: readonly string[] = [], name?: string): MCPTestContext {
  const unused = () => Promise.reject(new Error('No server is running.'));
  return {
    server: { command: 'node' },
    tools: tools.map((tool) => ({ name: tool, description: undefined })),
    testCase: { input: {}, ...(name !== undefined && { name }) },
    utils: { callTool: unused, runWorkflow: unused },
  };
}
