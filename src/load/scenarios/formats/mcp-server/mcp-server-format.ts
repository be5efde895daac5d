import { isRecord } from '../../../../shared/json.ts';
import { nearestName } from '../../../../shared/suggest.ts';
import type { ScenarioFormat } from '../../scenario-format.ts';

/** Distinctive keys: misspellings of them count too. */
const distinctiveKeys = [
  'toolHealthSuites',
  'resourceSuites',
  'promptSuites',
  'samplingSuites',
  'elicitationSuites',
  'oauth2Suites',
];
const judgeKeys = ['llmJudge', 'openaiKey', 'judgeModel'];

/** Whether data looks like an MCP server with its tests, valid or not. */
export function looksLikeMcpServer(value: unknown): boolean {
  if (!isRecord(value) || 'call' in value) return false;
  const keys = Object.keys(value);
  if (keys.some((key) => distinctiveKeys.includes(key))) return true;
  const hasServer = isRecord(value.server);
  if (hasServer && keys.some((key) => key === 'workflows' || nearestName(key, distinctiveKeys) !== undefined))
    return true;
  if (keys.some((key) => judgeKeys.includes(key)) && (hasServer || 'workflows' in value)) return true;
  // A server without tests counts only in the notation of this format.
  return isRecord(value.server) && ('transport' in value.server || 'command' in value.server) && keys.length <= 3;
}

/** An MCP server with suites of tests and workflows, each of which becomes a scenario. */
export const mcpServerFormat = {
  name: 'mcp-server',
  recognises: looksLikeMcpServer,
  async readAll(source, context) {
    // Loaded when needed: most projects have no such file.
    return (await import('./read-mcp-server.ts')).readMcpServer(source, context);
  },
} satisfies ScenarioFormat;
