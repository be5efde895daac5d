import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discover } from '../../drive/mcp/authorization/discovery.ts';
import { OAuthHttp } from '../../drive/mcp/authorization/oauth-http.ts';
import type { ServerDefinition } from '../../drive/mcp/server-definition.ts';
import { isRecord } from '../../shared/json.ts';
import { expandVariables } from '../../shared/variables.ts';
import { shownMessage } from '../calls/answer-text.ts';
import type { ListedServer } from '../listed-server.ts';
import {
  applicableScenarios,
  type ChosenScenario,
  type FailedCheck,
  isUnjudgeable,
  type Reach,
  type Tried,
} from './applicable.ts';
import type { ConformanceReport, ConformanceScenario } from './conformance-report.ts';
import { openHeaderRelay } from './header-relay.ts';
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
  const scenarios: ConformanceScenario[] = [];
  for (const scenario of chosen) scenarios.push(await runScenario(scenario, ['server', '--url', url], suite, tried));
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
  if (definition.transport === 'stdio') {
    const { openStdioBridge } = await import('./stdio-bridge.ts');
    const { StdioWire } = await import('../../drive/mcp/wire/stdio-wire.ts');
    const bridge = await openStdioBridge((listener) => new StdioWire(definition, { directory, env }, listener));
    return { ...bridge, reach: 'bridge' };
  }
  const headers = expandVariables(definition.headers, env);
  if (Object.keys(headers).length > 0) return { ...(await openHeaderRelay(definition.url, headers)), reach: 'remote' };
  const { url } = definition;
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
  const args = ['authorization', '--url', found.server.issuer];
  return [await runScenario({ name: issuerScenario, version: null }, args, suite, tried)];
}

async function runScenario(
  { name, version }: ChosenScenario,
  args: readonly string[],
  suite: ConformanceSuite,
  tried: Tried,
): Promise<ConformanceScenario> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-conformance-'));
  try {
    const ofVersion = version === null ? [] : ['--spec-version', version];
    const { error } = await suite.run([...args, '--scenario', name, ...ofVersion, '--output-dir', folder]);
    const checks = await readChecks(folder);
    if (checks) return { name, version, ...judged(checks, tried) };
    return { name, version, state: 'error', messages: [error], unjudged: [] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readChecks(folder: string): Promise<readonly unknown[] | undefined> {
  const [results] = await readdir(folder);
  if (results === undefined) return undefined;
  try {
    const checks: unknown = JSON.parse(await readFile(join(folder, results, 'checks.json'), 'utf8'));
    return Array.isArray(checks) ? checks : undefined;
  } catch {
    return undefined;
  }
}

function judged(
  checks: readonly unknown[],
  tried: Tried,
): Pick<ConformanceScenario, 'state' | 'messages' | 'unjudged'> {
  const withStatus = (status: string): FailedCheck[] =>
    checks.flatMap((check) => (isRecord(check) && check.status === status ? [outcomeOf(check)] : []));
  const [failures, warnings] = [withStatus('FAILURE'), withStatus('WARNING')];
  const isJudged = (check: FailedCheck): boolean => !isUnjudgeable(check, tried);
  const failed = messagesOf(failures.filter(isJudged));
  const warned = messagesOf(warnings.filter(isJudged));
  const unjudged = messagesOf([...failures, ...warnings].filter((check) => !isJudged(check)));
  unjudged.push(...messagesOf(withStatus('SKIPPED')));
  if (failed.length > 0) return { state: 'fail', messages: [...failed, ...warned], unjudged };
  if (warned.length > 0) return { state: 'warning', messages: warned, unjudged };
  if (withStatus('SUCCESS').length > 0) return { state: 'pass', messages: [], unjudged };
  return { state: 'error', messages: ['not one of its checks could be judged.'], unjudged };
}

function outcomeOf({ errorMessage, description, id }: Readonly<Record<string, unknown>>): FailedCheck {
  return { id: String(id), message: shownMessage(String(errorMessage ?? description ?? id)) };
}

function messagesOf(checks: readonly FailedCheck[]): string[] {
  return checks.map(({ message }) => message);
}
