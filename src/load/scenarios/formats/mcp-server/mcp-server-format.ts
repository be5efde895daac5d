import { isRecord } from '../../../../shared/json.ts';
import { nearestName } from '../../../../shared/suggest.ts';
import type { ScenarioFormat } from '../../scenario-format.ts';

/** Keys that data of another kind does not have by chance, so that one like them counts as well. */
const distinctiveKeys = [
  'toolHealthSuites',
  'resourceSuites',
  'promptSuites',
  'samplingSuites',
  'elicitationSuites',
  'oauth2Suites',
];
const judgeKeys = ['llmJudge', 'openaiKey', 'judgeModel'];

/** Whether data is meant as an MCP server with its tests, right or wrong. */
export function looksLikeMcpServer(value: unknown): boolean {
  if (!isRecord(value) || 'call' in value) return false;
  const keys = Object.keys(value);
  if (keys.some((key) => distinctiveKeys.includes(key))) return true;
  const hasServer = isRecord(value.server);
  if (hasServer && keys.some((key) => key === 'workflows' || nearestName(key, distinctiveKeys) !== undefined))
    return true;
  if (keys.some((key) => judgeKeys.includes(key)) && (hasServer || 'workflows' in value)) return true;
  // A server alone is meant to be tested only where it is written as one of ours.
  return isRecord(value.server) && ('transport' in value.server || 'command' in value.server) && keys.length <= 3;
}

/** An MCP server with suites of tests and workflows, each of which becomes a scenario. */
export const mcpServerFormat: ScenarioFormat = {
  name: 'mcp-server',
  recognises: looksLikeMcpServer,
  async read(source, context) {
    const [only] = await (await import('./read-mcp-server.ts')).readMcpServer(source, context);
    return only?.read ?? [];
  },
  async readAll(source, context) {
    // Most projects have no such file, and then none of this need be loaded.
    return (await import('./read-mcp-server.ts')).readMcpServer(source, context);
  },
};
