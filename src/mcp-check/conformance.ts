import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { ServerDefinition } from '../drive/mcp/server-definition.ts';
import { isRecord } from '../shared/json.ts';
import { runProcess } from '../shared/processes/run-process.ts';
import { shownMessage } from './calls/answer-text.ts';
import type { ListedServer } from './listed-server.ts';
import { type CheckProblem, problemOf, type RuleText } from './rule.ts';

const packageName = '@modelcontextprotocol/conformance';

/** How the suite is started. */
interface ConformanceProgram {
  /** For a shell; arguments follow. */
  readonly command: string;
}

/** The suite as it is installed in the project or above it, or through npx; a text says why it cannot be had. */
async function findConformance(source: 'installed' | 'npx', directory: string): Promise<ConformanceProgram | string> {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    const entry = await entryIn(join(folder, 'node_modules', packageName));
    if (entry !== undefined) return { command: `"${process.execPath}" "${entry}"` };
    if (dirname(folder) === folder) break;
  }
  if (source === 'npx') return { command: `npx --yes ${packageName}` };
  return `${packageName} is not installed; install it, or let npx fetch it with --allow-npx`;
}

async function entryIn(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const bin = isRecord(manifest) ? manifest.bin : undefined;
    const [first] = isRecord(bin) ? Object.values(bin) : [bin];
    if (typeof first !== 'string') return undefined;
    const entry = join(folder, first);
    await access(entry);
    return entry;
  } catch {
    return undefined;
  }
}

/** How the suite may be had: only where it is installed, or also fetched by npx. */
type ConformanceSource = 'installed' | 'npx';

export interface ConformanceRequest {
  readonly definition: ServerDefinition;
  readonly source: ConformanceSource;
  /** Where the suite is looked for, and what it runs in. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const outputLimitBytes = 65_536;

/** Runs the scenarios of the official suite that apply to any server. */
export async function runConformance(request: ConformanceRequest, listed: ListedServer): Promise<ConformanceReport> {
  const { definition } = request;
  if (definition.transport !== 'shttp')
    return {
      state: 'left-out',
      reason: `the suite speaks streamable HTTP, and this server is reached by ${definition.transport}`,
    };
  if (Object.keys(definition.headers).length > 0)
    return { state: 'left-out', reason: 'the suite cannot send headers, and this server is given some' };
  const program = await findConformance(request.source, request.directory);
  if (typeof program === 'string') return { state: 'left-out', reason: program };
  const scenarios: ConformanceScenario[] = [];
  for (const name of applicable(definition.url, listed)) {
    const scenario = await runScenario(name, definition.url, program, request);
    if (scenario.state === 'error' && scenarios.length === 0)
      return { state: 'left-out', reason: `the suite does not run here: ${scenario.messages.join(' ')}` };
    scenarios.push(scenario);
  }
  return { state: 'ran', scenarios, reason: 'the others ask for tools, prompts and resources of an example server' };
}

/** Most scenarios ask for tools that only the example servers of the SDKs have; these ask for nothing special. */
function applicable(url: string, { facts }: ListedServer): string[] {
  const has = (capability: string): boolean => isRecord(facts.capabilities[capability]);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
  return [
    'server-initialize',
    'ping',
    ...(has('logging') ? ['logging-set-level'] : []),
    ...(has('tools') ? ['tools-list', 'server-sse-multiple-streams'] : []),
    ...(has('resources') ? ['resources-list'] : []),
    ...(has('prompts') ? ['prompts-list'] : []),
    ...(isLocal ? ['dns-rebinding-protection'] : []),
  ];
}

async function runScenario(
  name: string,
  url: string,
  { command }: ConformanceProgram,
  { directory, env, timeoutMs, signal }: ConformanceRequest,
): Promise<ConformanceScenario> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-conformance-'));
  try {
    const args = ['server', '--url', url, '--scenario', name, '--output-dir', folder].map(shellQuoted).join(' ');
    const deadline = AbortSignal.timeout(timeoutMs * 2);
    const end = await runProcess(`${command} ${args}`, {
      cwd: directory,
      env,
      tag: `conformance-${folder.slice(-6)}`,
      stdin: '',
      stdoutLimitBytes: outputLimitBytes,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
    const checks = await readChecks(folder);
    if (checks) return scenarioOf(name, checks);
    const message = end.wasStopped ? 'it timed out.' : lastError(end.stderr.text);
    return { name, state: 'error', messages: [message] };
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

function scenarioOf(name: string, checks: readonly unknown[]): ConformanceScenario {
  const failed = checks.filter((check) => isRecord(check) && check.status === 'FAILURE');
  const warned = checks.filter((check) => isRecord(check) && check.status === 'WARNING');
  const messages = [...failed, ...warned].map((check) => {
    const { errorMessage, description, id } = Object(check) as Record<string, unknown>;
    return shownMessage(String(errorMessage ?? description ?? id));
  });
  return { name, state: failed.length > 0 ? 'fail' : warned.length > 0 ? 'warning' : 'pass', messages };
}

/** The line that says what went wrong, rather than the code around it. */
function lastError(stderr: string): string {
  const line = stderr.split('\n').findLast((text) => /^\s*\w*(?:Error|ERR)\b/.test(text));
  return shownMessage(line ?? stderr.slice(-300));
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The result of the official conformance suite, or why it was not run. */
export type ConformanceReport =
  | { readonly state: 'left-out'; readonly reason: string }
  | {
      readonly state: 'ran';
      readonly scenarios: readonly ConformanceScenario[];
      /** Why not all scenarios of the suite were run. */
      readonly reason: string;
    };

interface ConformanceScenario {
  readonly name: string;
  readonly state: 'pass' | 'warning' | 'fail' | 'error';
  /** The failed checks, in the words of the suite. */
  readonly messages: readonly string[];
}

/** Rules about the results of the suite. */
export const conformanceRules = {
  failed: {
    id: 'conformance-failed',
    severity: 'error',
    summary: 'The server breaks the specification of the protocol',
    why: 'Clients rely on what the specification says.',
    fix: 'Read the scenario in the official suite, @modelcontextprotocol/conformance.',
  },
  warned: {
    id: 'conformance-warning',
    severity: 'warning',
    summary: 'The server does not do what the specification recommends',
    why: 'Some clients rely on it.',
    fix: 'Read the scenario in the official suite, @modelcontextprotocol/conformance.',
  },
} as const satisfies Record<string, RuleText>;

/** The failed checks as problems; a scenario that could not be run is not a problem of the server. */
export function problemsOfConformance(report: ConformanceReport | null): CheckProblem[] {
  if (report?.state !== 'ran') return [];
  return report.scenarios.flatMap(({ name, state, messages }) => {
    if (state !== 'fail' && state !== 'warning') return [];
    const rule = state === 'fail' ? conformanceRules.failed : conformanceRules.warned;
    return [problemOf(rule, { message: `${name}: ${messages.join(' ')}` })];
  });
}
