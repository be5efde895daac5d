import { below, type ParsedSource } from '../../../sources/parsed-source.ts';
import type { ReadContext, ReadPart, ReadScenario } from '../../scenario-format.ts';
import type { Findings } from '../llm-tool-test/findings.ts';
import { type McpServerConfig, suiteKinds } from './mcp-server-schema.ts';
import { readServerConfig } from './read-server-config.ts';
import type { Reading } from './reading.ts';
import { placeServer } from './server-place.ts';
import { suiteScenario } from './suite-scenario.ts';
import { workflowScenario } from './workflow-scenario.ts';

/** Reads a file about an MCP server: one scenario for each of its suites and workflows. */
export async function readMcpServer(source: ParsedSource, context: ReadContext): Promise<readonly ReadPart[]> {
  const found: Findings = { problems: [], warnings: [] };
  const written = readServerConfig(source, context.defaults.mcpServers?.env ?? {}, found);
  const parts = written ? scenariosOf(written, source, context, found) : [];
  const [first] = parts;
  if (!first || found.problems.length > 0) return [{ source, read: found.problems }];
  // What is to be said of the file is said once.
  return [{ ...first, read: { ...first.read, warnings: found.warnings } }, ...parts.slice(1)];
}

interface ScenarioPart extends ReadPart {
  readonly read: ReadScenario;
}

function scenariosOf(
  written: McpServerConfig,
  source: ParsedSource,
  context: ReadContext,
  found: Findings,
): ScenarioPart[] {
  const { server, warnings } = placeServer(written.server, source, context);
  found.warnings.push(...warnings);
  const reading: Reading = { config: { ...written, server }, source, context, found, names: new Map() };
  return [
    ...suiteKinds.flatMap((kind) =>
      reading.config[kind.key].map((suite, index) => ({
        source: below(source, [kind.key, index]),
        read: suiteScenario(kind, suite, index, reading),
      })),
    ),
    ...reading.config.workflows.map((workflow, index) => ({
      source: below(source, ['workflows', index]),
      read: workflowScenario(workflow, index, reading),
    })),
  ];
}
