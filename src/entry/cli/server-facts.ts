import type { Workflow } from '../../domain/mcp-suites.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { type ServerDefinition, serverLabel } from '../../drive/mcp/server-definition.ts';
import { listedTests } from '../../load/scenarios/formats/mcp-server/listed-tests.ts';
import { counted } from '../../shared/format.ts';
import { redactPatterns } from '../../shared/redaction/secret-patterns.ts';

/** What a list tells of a scenario about an MCP server. */
export interface ServerFacts {
  readonly part: NonNullable<Scenario['serverPart']>;
  readonly server: { readonly transport: ServerDefinition['transport']; readonly label: string };
  /** Of a suite. */
  readonly tests?: number;
  /** Of a workflow. */
  readonly steps?: number;
  /** What the steps of a workflow expect together. */
  readonly expectedTools?: number;
}

/** Reads the facts off a scenario; undefined for one that is not about an MCP server. */
export async function serverFacts(scenario: Scenario): Promise<ServerFacts | undefined> {
  const { serverPart: part, target } = scenario;
  if (part === undefined) return undefined;
  const definition = (target.config as { readonly server: ServerDefinition }).server;
  const server = { transport: definition.transport, label: redactPatterns(serverLabel(definition)) };
  for await (const { input } of scenario.cases()) {
    return part === 'workflow'
      ? { part, server, ...stepCounts(input as Workflow) }
      : { part, server, tests: listedTests((input as { readonly suite: object }).suite).length };
  }
  return { part, server };
}

/** The facts behind the name of a scenario: `3 tests`, or `2 steps, 3 expected tools`. */
export function factsText({ tests, steps = 0, expectedTools = 0 }: ServerFacts): string {
  if (tests !== undefined) return counted(tests, 'test');
  return `${counted(steps, 'step')}, ${counted(expectedTools, 'expected tool')}`;
}

function stepCounts({ steps }: Workflow): Pick<ServerFacts, 'steps' | 'expectedTools'> {
  const expectedTools = steps.reduce((sum, { expectTools = [] }) => sum + expectTools.length, 0);
  return { steps: steps.length, expectedTools };
}
