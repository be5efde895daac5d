import { setImmediate as otherWork } from 'node:timers/promises';
import { type Redact, redactDeep } from '../shared/redaction/redaction.ts';
import { withProofs } from './ambiguity/proof-text.ts';
import type { AmbiguityReport } from './ambiguity/prove-pairs.ts';
import { comparePins, type PinsFile, pinsOf, problemsOfChanges } from './baseline.ts';
import { callTools } from './calls/call-tools.ts';
import type { CallRequest } from './calls/tool-caller.ts';
import type { CheckReport } from './check-report.ts';
import { type ConformanceReport, problemsOfConformance } from './conformance/conformance-report.ts';
import { contextCost, definitionTokens } from './context-cost/context-cost.ts';
import type { ListedServer } from './definitions/listed-server.ts';
import { type CheckProblem, findingsOfRule, problemOf, severities } from './definitions/rule.ts';
import { tryFeatures } from './features/index.ts';
import { checkManners } from './protocol/check-manners.ts';
import type { HttpTarget } from './protocol/http-exchange.ts';
import { checkHttp } from './protocol/http-manners.ts';
import { rules } from './rules/index.ts';
import type { ServerSdk } from './sdk/find-sdk.ts';
import { attributed } from './sdk/sdk-defects.ts';
import { behaviours } from './session/behaviours.ts';
import { listServer } from './session/list-server.ts';
import { ServerUnderCheck } from './session/server-under-check.ts';

export interface CheckRequest extends CallRequest {
  /** The baseline and its file; undefined when changes are not checked. */
  readonly baseline?: { readonly file: string; readonly pins: PinsFile | 'to be written' } | undefined;
  /** Asks the official suite; undefined when it is not wanted. */
  readonly conformance?: ((listed: ListedServer) => Promise<ConformanceReport>) | undefined;
  /** Tries pairs of tools that seem ambiguous on a model; undefined when it is not wanted. */
  readonly provePairs?: ((listed: ListedServer) => Promise<AmbiguityReport>) | undefined;
  /** The manifest of the registry, and how it is compared with the server. */
  readonly checkManifest?: ((listed: ListedServer) => readonly CheckProblem[]) | undefined;
  /** Where the server is, if it is reached over HTTP. */
  readonly http?: HttpTarget | undefined;
  /** The official SDK that the server is built with, where it is known. */
  readonly sdk?: ServerSdk | undefined;
  /** Takes secrets out of what is kept. */
  readonly redact?: Redact | undefined;
}

/** The report, and the current pins of the server. */
export interface CheckResult {
  readonly report: CheckReport;
  readonly pins: PinsFile;
  readonly listed: ListedServer;
}

/** Checks the definitions of a server, calls its tools, and reports the problems of both. */
export async function checkServer(request: CheckRequest): Promise<CheckResult> {
  const startedAt = new Date();
  const began = performance.now();
  await using server = await ServerUnderCheck.open(request);
  const { listed, problems: unlisted } = await listServer(server);
  const pins = request.redact ? redactDeep(pinsOf(listed), request.redact) : pinsOf(listed);
  const baseline = baselineReport(request.baseline, pins);
  const called = await callTools(server, listed, request);
  const tried = request.callsPerTool === 0 ? { features: [], problems: [] } : await tryFeatures(server, listed);
  const manners = await checkManners(server, listed);
  const overHttp = request.http && server.lost === undefined ? await checkHttp(request.http, server) : undefined;
  const conformance = (await request.conformance?.(listed)) ?? null;
  const ambiguity = (await request.provePairs?.(listed)) ?? null;
  const found = [
    ...unlisted,
    ...withProofs(await checkDefinitions(listed, request.signal), ambiguity),
    ...problemsOfChanges(baseline?.changes ?? []),
    ...called.problems,
    ...tried.problems,
    ...manners,
    ...(overHttp?.problems ?? []),
    ...problemsOfConformance(conformance),
    ...(request.checkManifest?.(listed) ?? []),
  ];
  const problems = attributed(found, request.sdk);
  const { facts, tools, resources, resourceTemplates, prompts } = listed;
  const report: CheckReport = {
    schema: 'assay.mcp-check/1',
    server: serverReport(facts, request.sdk),
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - began),
    seed: request.seed,
    incomplete: server.lost ?? loginReason(server) ?? unprovenReason(ambiguity),
    counts: {
      tools: tools.length,
      resources: resources.length,
      resourceTemplates: resourceTemplates.length,
      prompts: prompts.length,
    },
    definitionTokens: definitionTokens(tools),
    contextCost: contextCost(listed),
    ambiguity,
    tools: called.tools,
    features: [...tried.features, ...(overHttp ? [overHttp.report] : [])],
    coverage: { called: called.tools.filter(({ leftOut }) => leftOut === null).length, total: tools.length },
    totals: countBySeverity(problems),
    problems: bySeverity(problems),
    baseline,
    conformance,
  };
  return { report: request.redact ? redactDeep(report, request.redact) : report, pins, listed };
}

function serverReport(facts: ListedServer['facts'], sdk: ServerSdk | undefined): CheckReport['server'] {
  return {
    label: facts.label,
    name: facts.name,
    version: facts.version,
    transport: facts.transport,
    protocolVersion: facts.protocolVersion,
    sdk: sdk ? `${sdk.name} ${sdk.version}` : null,
    capabilities: Object.keys(facts.capabilities).sort(),
    instructions: facts.instructions ?? null,
  };
}

/** Rules over many definitions take a while; between them an interrupt is noticed. */
async function checkDefinitions(listed: ListedServer, signal: AbortSignal | undefined): Promise<CheckProblem[]> {
  const problems: CheckProblem[] = [];
  for (const rule of rules) {
    problems.push(...findingsOfRule(rule, listed).map((finding) => problemOf(rule, finding)));
    await otherWork();
    signal?.throwIfAborted();
  }
  return problems;
}

/** The report on a server that could not be checked at all. */
export function uncheckedReport(error: Error, server: Pick<CheckReport['server'], 'label' | 'transport'>): CheckReport {
  const problems = [problemOf(behaviours.serverFailed, { message: error.message })];
  return {
    schema: 'assay.mcp-check/1',
    server: { ...server, name: '', version: '', protocolVersion: '', sdk: null, capabilities: [], instructions: null },
    startedAt: new Date().toISOString(),
    durationMs: 0,
    seed: 0,
    incomplete: error.message,
    counts: { tools: 0, resources: 0, resourceTemplates: 0, prompts: 0 },
    definitionTokens: 0,
    contextCost: null,
    ambiguity: null,
    tools: [],
    features: [],
    coverage: { called: 0, total: 0 },
    totals: countBySeverity(problems),
    problems,
    baseline: null,
    conformance: null,
  };
}

/** A check that the login did not allow in full says nothing about the rest. */
function loginReason({ unauthorized }: ServerUnderCheck): string | undefined {
  return unauthorized === undefined ? undefined : `${unauthorized} Log in with \`assay mcp login\`, and check again.`;
}

function unprovenReason(ambiguity: AmbiguityReport | null): string | null {
  if (ambiguity === null || ambiguity.incomplete === null) return null;
  return `The ambiguous pairs could not all be tried on ${ambiguity.model}: ${ambiguity.incomplete}`;
}

function baselineReport(wanted: CheckRequest['baseline'], now: PinsFile): CheckReport['baseline'] {
  if (!wanted) return null;
  if (wanted.pins === 'to be written') return { file: wanted.file, state: 'written', changes: [] };
  const changes = comparePins(wanted.pins, now);
  return { file: wanted.file, state: changes.length === 0 ? 'same' : 'changed', changes };
}

function countBySeverity(problems: readonly CheckProblem[]): CheckReport['totals'] {
  const count = (severity: string): number => problems.filter((problem) => problem.severity === severity).length;
  return { error: count('error'), warning: count('warning'), info: count('info'), notice: count('notice') };
}

function bySeverity(problems: readonly CheckProblem[]): CheckProblem[] {
  const rank = ({ id, severity }: CheckProblem): number =>
    id === behaviours.toolBroken.id ? -1 : severities.indexOf(severity);
  return problems.toSorted((a, b) => rank(a) - rank(b));
}
