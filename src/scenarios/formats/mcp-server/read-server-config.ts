import type { ParsedSource } from '../../parsed-source.ts';
import type { Findings } from '../llm-tool-test/findings.ts';
import { parseTolerantly } from '../llm-tool-test/tolerant-parse.ts';
import { expandConfig } from './expand-config.ts';
import { type McpServerConfig, mcpServerSchema, suiteKinds } from './mcp-server-schema.ts';
import { startupWarnings } from './startup-warnings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Checks a config; undefined after what is wrong with it was told. */
export function readServerConfig(source: ParsedSource, env: Environment, found: Findings): McpServerConfig | undefined {
  const { value, warnings } = expandConfig(source, env);
  const config = parseTolerantly({ schema: mcpServerSchema, value, source }, found);
  if (!config) return undefined;
  if (config.workflows.length === 0 && suiteKinds.every(({ key }) => config[key].length === 0)) {
    const message = 'Configuration must include workflows, toolHealthSuites';
    found.problems.push({ at: source.locate([]), message, hint: 'At least one of them needs an entry.' });
    return undefined;
  }
  found.warnings.push(...warnings, ...startupWarnings(config, source));
  return config;
}
