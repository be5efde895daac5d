import { pinTools } from '../drive/mcp/tool-pins.ts';
import { counted } from '../shared/format.ts';
import { type Redact, redactDeep } from '../shared/redaction/redaction.ts';
import { comparePins, type PinsFile, pinsOf, problemsOfChanges } from './baseline.ts';
import { behaviours } from './calls/behaviours.ts';
import { checkManners } from './calls/check-manners.ts';
import { type Exercise, exerciseTool } from './calls/exercise-tool.ts';
import { type CallSettings, isReadOnly, planCalls } from './calls/plan-calls.ts';
import { type ServerAccess, ServerUnderCheck } from './calls/server-under-check.ts';
import { type CheckReport, definitionTokens, latencyReport, type ToolReport } from './check-report.ts';
import { type ConformanceReport, problemsOfConformance } from './conformance.ts';
import { listServer } from './list-server.ts';
import { definitionsOf, type ListedServer, type ListedTool } from './listed-server.ts';
import { type CheckProblem, problemOf, severities } from './rule.ts';
import { rules } from './rules/index.ts';
import { argumentsOf } from './tool-arguments.ts';

export interface CheckRequest extends ServerAccess, CallSettings {
  /** The baseline and its file; undefined when changes are not checked. */
  readonly baseline?: { readonly file: string; readonly pins: PinsFile | 'to be written' } | undefined;
  /** Asks the official suite; undefined when it is not wanted. */
  readonly conformance?: ((listed: ListedServer) => Promise<ConformanceReport>) | undefined;
  /** Takes secrets out of what is kept. */
  readonly redact?: Redact | undefined;
  onTool?(tool: string, number: number, total: number): void;
}

/** The report, and the current pins of the server. */
export interface CheckResult {
  readonly report: CheckReport;
  readonly pins: PinsFile;
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
  const conformance = (await request.conformance?.(listed)) ?? null;
  const problems = [
    ...unlisted,
    ...rules.flatMap((rule) => rule.check(listed).map((finding) => problemOf(rule, finding))),
    ...problemsOfChanges(baseline?.changes ?? []),
    ...called.problems,
    ...problemsOfConformance(conformance),
  ];
  const { facts, tools, resources, resourceTemplates, prompts } = listed;
  const report: CheckReport = {
    schema: 'assay.mcp-check/1',
    server: {
      label: facts.label,
      name: facts.name,
      version: facts.version,
      transport: facts.transport,
      protocolVersion: facts.protocolVersion,
      capabilities: Object.keys(facts.capabilities).sort(),
      instructions: facts.instructions ?? null,
    },
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - began),
    seed: request.seed,
    incomplete: called.incomplete,
    counts: {
      tools: tools.length,
      resources: resources.length,
      resourceTemplates: resourceTemplates.length,
      prompts: prompts.length,
    },
    definitionTokens: definitionTokens(tools),
    tools: called.tools,
    coverage: { called: called.tools.filter(({ leftOut }) => leftOut === null).length, total: tools.length },
    totals: countBySeverity(problems),
    problems: bySeverity(problems),
    baseline,
    conformance,
  };
  return { report: request.redact ? redactDeep(report, request.redact) : report, pins };
}

interface Called {
  readonly tools: readonly ToolReport[];
  readonly problems: readonly CheckProblem[];
  readonly incomplete: string | null;
}

/** Calls what may be called; a server that is lost for good ends it, and what was found until then is kept. */
async function callTools(server: ServerUnderCheck, listed: ListedServer, request: CheckRequest): Promise<Called> {
  const pinned = pinTools(definitionsOf(listed.tools));
  const tools: ToolReport[] = [];
  const problems: CheckProblem[] = [];
  for (const [index, tool] of listed.tools.entries()) {
    const plan = server.lost === undefined ? planCalls(tool, request) : { leftOut: 'the server was lost before' };
    let exercise: Exercise | undefined;
    if (plan.leftOut === undefined) {
      request.onTool?.(tool.name, index + 1, listed.tools.length);
      exercise = await exerciseTool(server, tool, plan);
      problems.push(...exercise.problems);
    }
    tools.push(toolReport(tool, pinned[tool.name] ?? '', plan.leftOut ?? null, exercise));
  }
  problems.push(...nothingWorks(tools), ...(await checkManners(server, listed)));
  return { tools, problems, incomplete: server.lost ?? null };
}

/** A check whose every call failed has found out nothing good of the server. */
function nothingWorks(tools: readonly ToolReport[]): CheckProblem[] {
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  if (calls === 0 || tools.some(({ ok }) => ok > 0)) return [];
  const message = `${counted(calls, 'valid call')} of ${counted(tools.filter((tool) => tool.calls > 0).length, 'tool')}, none answered with a result.`;
  return [problemOf(behaviours.nothingWorks, { message })];
}

/** The report on a server that could not be checked at all. */
export function uncheckedReport(error: Error, server: Pick<CheckReport['server'], 'label' | 'transport'>): CheckReport {
  const problems = [problemOf(behaviours.serverFailed, { message: error.message })];
  return {
    schema: 'assay.mcp-check/1',
    server: { ...server, name: '', version: '', protocolVersion: '', capabilities: [], instructions: null },
    startedAt: new Date().toISOString(),
    durationMs: 0,
    seed: 0,
    incomplete: error.message,
    counts: { tools: 0, resources: 0, resourceTemplates: 0, prompts: 0 },
    definitionTokens: 0,
    tools: [],
    coverage: { called: 0, total: 0 },
    totals: countBySeverity(problems),
    problems,
    baseline: null,
    conformance: null,
  };
}

function toolReport(tool: ListedTool, pin: string, leftOut: string | null, exercise?: Exercise): ToolReport {
  const tried = new Set(exercise?.argumentsTried);
  const names = argumentsOf(tool).map(({ name }) => name);
  return {
    name: tool.name,
    pin,
    readOnly: isReadOnly(tool),
    leftOut,
    cutShort: exercise?.cutShort ?? null,
    calls: exercise?.calls ?? 0,
    ok: exercise?.ok ?? 0,
    refused: exercise?.refused ?? 0,
    probes: exercise?.probes ?? 0,
    latencyMs: latencyReport(exercise?.latenciesMs ?? []),
    largestOutputBytes: exercise?.largestOutputBytes ?? null,
    arguments: { total: names.length, tried: names.filter((name) => tried.has(name)).length },
  };
}

function baselineReport(wanted: CheckRequest['baseline'], now: PinsFile): CheckReport['baseline'] {
  if (!wanted) return null;
  if (wanted.pins === 'to be written') return { file: wanted.file, state: 'written', changes: [] };
  const changes = comparePins(wanted.pins, now);
  return { file: wanted.file, state: changes.length === 0 ? 'same' : 'changed', changes };
}

function countBySeverity(problems: readonly CheckProblem[]): CheckReport['totals'] {
  const count = (severity: string): number => problems.filter((problem) => problem.severity === severity).length;
  return { error: count('error'), warning: count('warning'), info: count('info') };
}

function bySeverity(problems: readonly CheckProblem[]): CheckProblem[] {
  return problems.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}
