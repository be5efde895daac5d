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
import { applicableScenarios, type ChosenScenario, isUnjudgeable } from './applicable.ts';
import type { ConformanceReport, ConformanceScenario } from './conformance-report.ts';
import { openHeaderRelay } from './header-relay.ts';
import { ConformanceSuite, type ListedScenario } from './suite.ts';

export interface ConformanceRequest {
  readonly definition: ServerDefinition;
  readonly source: 'installed' | 'npx';
  /** Where the suite is looked for, and what it runs in. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const issuerScenario = 'authorization-server-metadata-endpoint';

/** Runs the scenarios of the official suite that apply to the server, for every version that it speaks. */
export async function runConformance(request: ConformanceRequest, listed: ListedServer): Promise<ConformanceReport> {
  const { definition } = request;
  if (definition.transport !== 'shttp')
    return {
      state: 'left-out',
      reason: `the suite speaks streamable HTTP, and this server is reached by ${definition.transport}`,
    };
  const suite = await ConformanceSuite.find(request);
  if (typeof suite === 'string') return { state: 'left-out', reason: suite };
  const suiteScenarios = await suite.list();
  if (typeof suiteScenarios === 'string')
    return { state: 'left-out', reason: `the suite does not run here: ${suiteScenarios}` };
  const headers = expandVariables(definition.headers, request.env);
  const hasHeaders = Object.keys(headers).length > 0;
  await using relay = hasHeaders ? await openHeaderRelay(definition.url, headers) : undefined;
  const url = relay?.url ?? definition.url;
  const isReachedLocally = !hasHeaders && ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
  const chosen = applicableScenarios(suiteScenarios, {
    listed,
    isReachedLocally,
    speaksVersions: suite.speaksVersions,
  });
  const scenarios: ConformanceScenario[] = [];
  for (const scenario of chosen) scenarios.push(await runScenario(scenario, ['server', '--url', url], suite, listed));
  scenarios.push(...(await ofIssuer(request, suiteScenarios, suite, listed)));
  return { state: 'ran', suite: suite.version, scenarios, reason: reasonOf(suiteScenarios, scenarios) };
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
  listed: ListedServer,
): Promise<ConformanceScenario[]> {
  if (definition.transport !== 'shttp' || !suiteScenarios.some(({ name }) => name === issuerScenario)) return [];
  using http = new OAuthHttp({ env, timeoutMs, redact: (text) => text });
  const url = new URL(definition.url);
  const found = await discover({ url, challenge: undefined, issuer: undefined }, http, signal).catch(() => undefined);
  if (!found) return [];
  const args = ['authorization', '--url', found.server.issuer];
  return [await runScenario({ name: issuerScenario, version: null }, args, suite, listed)];
}

async function runScenario(
  { name, version }: ChosenScenario,
  args: readonly string[],
  suite: ConformanceSuite,
  listed: ListedServer,
): Promise<ConformanceScenario> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-conformance-'));
  try {
    const ofVersion = version === null ? [] : ['--spec-version', version];
    const { error } = await suite.run([...args, '--scenario', name, ...ofVersion, '--output-dir', folder]);
    const checks = await readChecks(folder);
    if (checks) return { name, version, ...judged(checks, listed) };
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
  listed: ListedServer,
): Pick<ConformanceScenario, 'state' | 'messages' | 'unjudged'> {
  const withStatus = (status: string) =>
    checks.flatMap((check) => (isRecord(check) && check.status === status ? [messageOf(check)] : []));
  const failed = withStatus('FAILURE');
  const failures = failed.filter((message) => !isUnjudgeable(message, listed));
  const warnings = withStatus('WARNING').filter((message) => !isUnjudgeable(message, listed));
  const passes = withStatus('SUCCESS');
  const unjudged = [...failed.filter((message) => isUnjudgeable(message, listed)), ...withStatus('SKIPPED')];
  if (failures.length > 0) return { state: 'fail', messages: [...failures, ...warnings], unjudged };
  if (warnings.length > 0) return { state: 'warning', messages: warnings, unjudged };
  if (passes.length > 0) return { state: 'pass', messages: [], unjudged };
  return { state: 'error', messages: ['not one of its checks could be judged.'], unjudged };
}

function messageOf({ errorMessage, description, id }: Readonly<Record<string, unknown>>): string {
  return shownMessage(String(errorMessage ?? description ?? id));
}
