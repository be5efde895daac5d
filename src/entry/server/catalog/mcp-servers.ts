import type { Scenario } from '../../../domain/scenario.ts';
import { type ServerDefinition, serverLabel } from '../../../drive/mcp/server-definition.ts';
import { isRecord } from '../../../shared/json.ts';
import { redactPatterns } from '../../../shared/redaction/secret-patterns.ts';
import { nearestRank } from '../../../shared/stats/nearest-rank.ts';
import type { McpServers } from '../api/system.ts';
import type { BrokenSuite, McpSightings, SeenServer, SeenTool } from './mcp-history.ts';

type Server = McpServers['servers'][number];
type Tool = Server['tools'][number];

/** The servers that stored runs or scenario files know, those first that were seen last. */
export function mcpServers(sightings: McpSightings, scenarios: readonly Scenario[]): McpServers {
  const named = namedServers(scenarios);
  const labels = new Map([
    ...named.map(({ scenario, server }) => [scenario, server.label] as const),
    ...sightings.labels,
  ]);
  const observed = [...sightings.servers.values()].flatMap((runs) => seenServer(runs));
  const unobserved = new Map(named.map(({ server }) => [server.label, server]));
  for (const { label } of observed) unobserved.delete(label);
  const filesByLabel = new Map(named.map(({ server }) => [server.label, server.connectFile]));
  const servers = [...observed, ...unobserved.values()].map((server) => {
    const broken = sightings.broken.filter(({ scenario }) => labels.get(scenario) === server.label);
    return withBroken({ ...server, connectFile: filesByLabel.get(server.label) ?? null }, broken);
  });
  servers.sort((a, b) => (b.lastSeenAt ?? 0) - (a.lastSeenAt ?? 0));
  return { servers, runsLookedAt: sightings.runsLookedAt };
}

/** A server that did not come up when it was last tested is not as healthy as it was before. */
function withBroken(server: Server, [newest, ...others]: readonly BrokenSuite[]): Server {
  if (!newest || newest.seenAt < (server.lastSeenAt ?? 0)) return server;
  const health = { ...newest.health };
  for (const each of others.filter(({ runId }) => runId === newest.runId)) {
    health.passed += each.health.passed;
    health.failed += each.health.failed;
    health.error += each.health.error;
  }
  return { ...server, health, lastRunId: newest.runId, lastSeenAt: newest.seenAt };
}

function seenServer(sightings: readonly SeenServer[]): Server[] {
  const [last, before] = sightings;
  if (!last) return [];
  const tested = sightings.find(({ health }) => health.passed + health.failed + health.error > 0);
  const tools = toolsOf(last, before, tested, sightings);
  const current = tools.filter(({ pin }) => pin !== 'gone');
  return [
    {
      ...last.facts,
      file: last.file,
      connectFile: null,
      lastRunId: last.runId,
      lastSeenAt: last.seenAt,
      health: tested?.health ?? { passed: 0, failed: 0, error: 0 },
      coverage: { tested: current.filter(({ tests }) => tests > 0).length, tools: current.length },
      tools,
    },
  ];
}

function toolsOf(
  { pins, definitions }: SeenServer,
  before: SeenServer | undefined,
  tested: SeenServer | undefined,
  sightings: readonly SeenServer[],
): Tool[] {
  const gone = [...(before?.pins ?? [])].filter(([name]) => !pins.has(name));
  return [...pins, ...gone].map(([name, sha256]) => {
    const all = sightings.flatMap(({ tools }) => tools.get(name) ?? []);
    const tests = tested?.tools.get(name);
    const latenciesMs = all.flatMap((tool) => tool.latenciesMs).sort((a, b) => a - b);
    const description = definitions.get(name)?.description;
    return {
      name,
      description: typeof description === 'string' ? description : null,
      sha256,
      pin: pins.has(name) ? pinOf(name, sha256, before) : 'gone',
      calls: sumOf(all, 'calls'),
      errors: sumOf(all, 'errors'),
      expectedErrors: sumOf(all, 'expectedErrors'),
      tests: tests?.tests ?? 0,
      testsPassed: tests?.testsPassed ?? 0,
      medianMs: latenciesMs.length === 0 ? null : nearestRank(latenciesMs, 0.5),
    };
  });
}

function pinOf(name: string, sha256: string, before: SeenServer | undefined): Tool['pin'] {
  if (!before) return 'unpinned';
  const old = before.pins.get(name);
  if (old === undefined) return 'new';
  return old === sha256 ? 'same' : 'changed';
}

function sumOf(tools: readonly SeenTool[], key: 'calls' | 'errors' | 'expectedErrors'): number {
  return tools.reduce((sum, tool) => sum + tool[key], 0);
}

interface NamedServer {
  readonly scenario: string;
  readonly server: Server;
}

/** The servers that scenarios talk to, and those that they give to agents. */
function namedServers(scenarios: readonly Scenario[]): NamedServer[] {
  return scenarios.flatMap(({ name: scenario, target, file }) => {
    const { server, mcpServers } = isRecord(target.config) ? target.config : {};
    if (isRecord(server) && 'transport' in server) {
      const definition = server as unknown as ServerDefinition;
      const label = redactPatterns(serverLabel(definition));
      return [{ scenario, server: unseenServer(label, definition.transport, file, file.replaceAll('\\', '/')) }];
    }
    return Object.entries(isRecord(mcpServers) ? mcpServers : {}).map(([label, written]) => ({
      scenario,
      server: unseenServer(label, isRecord(written) && 'url' in written ? 'shttp' : 'stdio', file, null),
    }));
  });
}

/** Servers of agents are started in the work directory of a trial, so they have no file to connect by. */
function unseenServer(label: string, transport: string, file: string, connectFile: string | null): Server {
  return {
    label,
    name: null,
    version: null,
    protocolVersion: null,
    transport,
    file,
    connectFile,
    lastRunId: null,
    lastSeenAt: null,
    health: { passed: 0, failed: 0, error: 0 },
    coverage: { tested: 0, tools: 0 },
    tools: [],
  };
}
