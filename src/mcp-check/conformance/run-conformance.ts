import { discover } from '../../drive/mcp/authorization/discovery.ts';
import { OAuthHttp } from '../../drive/mcp/authorization/oauth-http.ts';
import { type ServerDefinition, serverLabel } from '../../drive/mcp/server-definition.ts';
import type { ListedServer } from '../definitions/listed-server.ts';
import { applicableScenarios, type Reach, type Tried } from './applicable.ts';
import type { ConformanceReport, ConformanceScenario } from './conformance-report.ts';
import { ScenarioRunner } from './run-scenarios.ts';
import { ConformanceSuite, type ListedScenario } from './suite.ts';

export interface ConformanceRequest {
  readonly definition: ServerDefinition;
  readonly source: 'installed' | 'npx';
  /** Where the suite is looked for, and what it runs in. */
  readonly directory: string;
  /** Where a server that is a program is started. */
  readonly serverDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const issuerScenario = 'authorization-server-metadata-endpoint';

/** Runs the scenarios of the official suite that apply to the server, for every version that it speaks. */
export async function runConformance(request: ConformanceRequest, listed: ListedServer): Promise<ConformanceReport> {
  const { definition } = request;
  if (definition.transport === 'sse')
    return { state: 'left-out', reason: 'the suite speaks streamable HTTP, and this server is reached by sse' };
  const suite = await ConformanceSuite.find(request);
  if (typeof suite === 'string') return { state: 'left-out', reason: suite };
  const suiteScenarios = await suite.list();
  if (typeof suiteScenarios === 'string')
    return { state: 'left-out', reason: `the suite does not run here: ${suiteScenarios}` };
  await using place = await openPlace(request, definition);
  const { url, reach } = place;
  const { speaksVersions } = suite;
  const chosen = applicableScenarios(suiteScenarios, { listed, reach, speaksVersions });
  const tried = { listed, reach };
  const scenarios = await new ScenarioRunner(suite, ['server', '--url', url], tried).runAll(chosen);
  scenarios.push(...(await ofIssuer(request, suiteScenarios, suite, tried)));
  return { state: 'ran', suite: suite.version, scenarios, reason: reasonOf(suiteScenarios, scenarios) };
}

/** An address at which the suite reaches the server, which neither sends headers nor speaks over stdio. */
interface Place extends AsyncDisposable {
  readonly url: string;
  readonly reach: Reach;
}

async function openPlace(
  { serverDirectory: directory, env }: ConformanceRequest,
  definition: Exclude<ServerDefinition, { transport: 'sse' }>,
): Promise<Place> {
  if (definition.transport !== 'shttp') {
    const { openStdioBridge } = await import('./stdio-bridge.ts');
    const { StdioWire } = await import('../../drive/mcp/wire/stdio-wire.ts');
    const { MockWire } = await import('../../drive/mcp/control/mocked-server.ts');
    const bridge = await openStdioBridge((listener) =>
      definition.transport === 'stdio'
        ? new StdioWire(definition, { directory, env }, listener)
        : new MockWire(definition, undefined, listener),
    );
    return { ...bridge, reach: 'bridge' };
  }
  const { url, headers } = definition;
  if (Object.keys(headers).length > 0) {
    const { LoginRelay } = await import('../../drive/mcp/proxy/login-relay.ts');
    const given = { label: serverLabel(definition), definition, authorization: undefined, env, isWithoutKey: true };
    const relay = await LoginRelay.open(given);
    return { url: relay.definition.url, reach: 'remote', [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose]() };
  }
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
  return { url, reach: isLocal ? 'local' : 'remote', [Symbol.asyncDispose]: async () => undefined };
}

function reasonOf(suiteScenarios: readonly ListedScenario[], scenarios: readonly ConformanceScenario[]): string {
  const run = new Set(scenarios.map(({ name }) => name));
  const others = suiteScenarios.filter(({ name }) => !run.has(name)).length;
  if (others === 0) return 'all scenarios of the suite';
  return `the other ${others} are for other versions, capabilities, or tools of an example server`;
}

/** Scenarios about the authorization server that issues tokens for the server, where it has one. */
async function ofIssuer(
  { definition, env, timeoutMs, signal = new AbortController().signal }: ConformanceRequest,
  suiteScenarios: readonly ListedScenario[],
  suite: ConformanceSuite,
  tried: Tried,
): Promise<ConformanceScenario[]> {
  if (definition.transport !== 'shttp' || !suiteScenarios.some(({ name }) => name === issuerScenario)) return [];
  using http = new OAuthHttp({ env, timeoutMs, redact: (text) => text });
  const url = new URL(definition.url);
  const found = await discover({ url, challenge: undefined, issuer: undefined }, http, signal).catch(() => undefined);
  if (!found) return [];
  const runner = new ScenarioRunner(suite, ['authorization', '--url', found.server.issuer], tried);
  return [await runner.runOne({ name: issuerScenario, version: null })];
}
