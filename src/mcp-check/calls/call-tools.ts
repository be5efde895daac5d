import { AssayError } from '../../domain/errors.ts';
import { pinTools } from '../../drive/mcp/tool-pins.ts';
import { counted } from '../../shared/format.ts';
import { suggestion } from '../../shared/suggest.ts';
import { definitionsOf, type ListedServer, type ListedTool } from '../definitions/listed-server.ts';
import { type CheckProblem, problemOf } from '../definitions/rule.ts';
import { argumentsOf } from '../definitions/tool-arguments.ts';
import { quoted } from '../definitions/words.ts';
import { behaviours } from '../session/behaviours.ts';
import { missingNeed } from '../session/failure-cause.ts';
import type { ServerUnderCheck } from '../session/server-under-check.ts';
import type { Exercise, ToolProblem } from './exercise-tool.ts';
import { isReadOnly, matchesName } from './reason-to-call.ts';
import { type CalledTool, type CallRequest, ToolCaller } from './tool-caller.ts';
import { latencyReport, type ToolReport } from './tool-report.ts';

/** The tools with the results of their calls. */
interface Called {
  readonly tools: readonly ToolReport[];
  readonly problems: readonly CheckProblem[];
  /** Why nothing could be said of the results of any tool; null where something was. */
  readonly incomplete: string | null;
}

/** Calls what may be called; a server that is lost for good ends it, and what was found until then is kept. */
export async function callTools(server: ServerUnderCheck, listed: ListedServer, request: CallRequest): Promise<Called> {
  assertKnown([...request.call, ...request.skip], listed.tools);
  const pinned = pinTools(definitionsOf(listed.tools));
  const called = await new ToolCaller(server, request).callAll(listed.tools);
  const exercises = called.flatMap(({ exercise }) => exercise ?? []);
  const incomplete = unmetNeed(exercises);
  return {
    tools: called.map((one) => toolReport(one, pinned[one.tool.name] ?? '')),
    problems: [
      ...oncePerCause(exercises.flatMap(({ problems }) => problems)),
      ...(incomplete === null && server.unauthorized === undefined ? nothingWorks(exercises) : []),
      ...nothingCalled(called, request),
    ],
    incomplete,
  };
}

function assertKnown(patterns: readonly string[], tools: readonly ListedTool[]): void {
  const names = tools.map(({ name }) => name);
  const unknown = patterns.find((pattern) => !names.some((name) => matchesName(pattern, name)));
  if (unknown === undefined) return;
  throw new AssayError('USAGE', `The server has no tool "${unknown}".`, { hint: suggestion(unknown, names) });
}

/** A check whose every call failed has found out nothing good of the server. */
function nothingWorks(exercises: readonly Exercise[]): CheckProblem[] {
  const calls = exercises.reduce((sum, exercise) => sum + exercise.calls, 0);
  if (calls === 0 || exercises.some(({ ok }) => ok > 0)) return [];
  const message = `${counted(calls, 'valid call')} of ${counted(exercises.length, 'tool')}, none answered with a result.`;
  return [problemOf(behaviours.noCallSucceeded, { message })];
}

/** Where every answer speaks of the network or of credentials, the machine is at fault as likely as the server. */
function unmetNeed(exercises: readonly Exercise[]): string | null {
  const refusals = exercises.flatMap(({ refusals }) => [...refusals]);
  const needs = refusals.map(missingNeed);
  if (exercises.some(({ ok }) => ok > 0) || refusals.length === 0 || needs.includes(undefined)) return null;
  const isAnswered = exercises.every(({ calls, refused }) => calls === refused);
  if (!isAnswered) return null;
  const missing = [...new Set(needs)].sort().join(' and ');
  return `No call succeeded: the server lacks ${missing === 'network' ? 'network access' : missing} here.`;
}

function nothingCalled(called: readonly CalledTool[], { callsPerTool }: CallRequest): CheckProblem[] {
  if (called.length === 0 || callsPerTool === 0 || called.some(({ exercise }) => exercise !== undefined)) return [];
  const reasons = new Set(called.map(({ plan }) => plan.leftOut));
  const [reason, ...others] = reasons;
  const message = `${counted(called.length, 'tool')} left out${others.length === 0 ? `: ${reason}` : ' for several reasons'}.`;
  return [problemOf(behaviours.noToolCalled, { message })];
}

function toolReport({ tool, plan, exercise }: CalledTool, pin: string): ToolReport {
  const names = argumentsOf(tool).map(({ name }) => name);
  return {
    name: tool.name,
    pin,
    readOnly: isReadOnly(tool),
    calledFor: plan.leftOut === undefined ? plan.calledFor : null,
    leftOut: plan.leftOut ?? null,
    cutShort: exercise?.cutShort ?? null,
    calls: exercise?.calls ?? 0,
    ok: exercise?.ok ?? 0,
    refused: exercise?.refused ?? 0,
    probes: exercise?.probes ?? 0,
    latencyMs: latencyReport(exercise?.latenciesMs ?? []),
    largestOutputBytes: exercise?.largestOutputBytes ?? null,
    arguments: { total: names.length, tried: names.filter((name) => exercise?.argumentsTried.has(name)).length },
  };
}

const mostCauses = 3;

/** Problems of several tools that have one cause are one problem: a server that is offline is offline once. */
function oncePerCause(problems: readonly ToolProblem[]): CheckProblem[] {
  const groups = new Map<string, ToolProblem[]>();
  for (const [index, problem] of problems.entries()) {
    const key = `${problem.id}\n${causeKey(problem) ?? `${index}`}`;
    groups.set(key, [...(groups.get(key) ?? []), problem]);
  }
  return [...groups.values()].flatMap((group) => merged(group));
}

/** All trouble with the network is one cause, however each tool words it. */
function causeKey({ id, cause }: ToolProblem): string | undefined {
  if (cause === undefined) return undefined;
  return id === behaviours.serverNeedMissing.id ? missingNeed(cause) : cause;
}

function merged(group: readonly ToolProblem[]): CheckProblem[] {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const { cause, ...problem } = first;
  if (others.length === 0) return [problem];
  const causes = [...new Set(group.map((one) => one.cause ?? ''))].slice(0, mostCauses);
  const tools = [...new Set(group.flatMap((one) => one.tools))];
  return [{ ...problem, tools, message: `${counted(tools.length, 'tool')}, ${quoted(tools)}: ${causes.join(' / ')}` }];
}
