import { AssayError } from '../../domain/errors.ts';
import { pinTools } from '../../drive/mcp/tool-pins.ts';
import { counted } from '../../shared/format.ts';
import { suggestion } from '../../shared/suggest.ts';
import { definitionsOf, type ListedServer, type ListedTool } from '../definitions/listed-server.ts';
import { type CheckProblem, problemOf } from '../definitions/rule.ts';
import { argumentsOf } from '../definitions/tool-arguments.ts';
import { quoted } from '../definitions/words.ts';
import { behaviours } from '../session/behaviours.ts';
import { isAboutData, type MissingNeed, missingNeed } from '../session/failure-cause.ts';
import type { ServerUnderCheck } from '../session/server-under-check.ts';
import type { ToolProblem } from './broken-tool.ts';
import type { Exercise } from './exercise-tool.ts';
import { isReadOnly, matchesName } from './reason-to-call.ts';
import { type CalledTool, type CallRequest, ToolCaller } from './tool-caller.ts';
import { latencyReport, type ToolReport } from './tool-report.ts';

/** The tools with the results of their calls. */
interface Called {
  readonly tools: readonly ToolReport[];
  readonly problems: readonly CheckProblem[];
}

/** Calls what may be called; a server that is lost for good ends it, and what was found until then is kept. */
export async function callTools(server: ServerUnderCheck, listed: ListedServer, request: CallRequest): Promise<Called> {
  assertKnown([...request.call, ...request.skip], listed.tools);
  const pinned = pinTools(definitionsOf(listed.tools));
  const called = await new ToolCaller(server, request).callAll(listed.tools);
  const exercises = called.flatMap(({ exercise }) => exercise ?? []);
  return {
    tools: called.map((one) => toolReport(one, pinned[one.tool.name] ?? '')),
    problems: [
      ...oncePerCause(explainedByNeeds(exercises)),
      ...(server.unauthorized === undefined ? nothingWorks(exercises) : []),
      ...nothingCalled(called, request),
    ],
  };
}

function assertKnown(patterns: readonly string[], tools: readonly ListedTool[]): void {
  const names = tools.map(({ name }) => name);
  const unknown = patterns.find((pattern) => !names.some((name) => matchesName(pattern, name)));
  if (unknown === undefined) return;
  throw new AssayError('USAGE', `The server has no tool "${unknown}".`, { hint: suggestion(unknown, names) });
}

/** The need of tools of which no call succeeded; undefined where one succeeded, or none names a need. */
function needOf(exercises: readonly Exercise[]): MissingNeed | undefined {
  if (exercises.some(({ ok }) => ok > 0)) return undefined;
  return exercises
    .flatMap(({ refusals }) => [...refusals])
    .map(missingNeed)
    .find((need) => need !== undefined);
}

const ofWaiting: ReadonlySet<string> = new Set([behaviours.callTimedOut.id, behaviours.concurrentCallsUnanswered.id]);

/** Where tools lack something and none works, those that are not answered wait for it too. */
function explainedByNeeds(exercises: readonly Exercise[]): readonly ToolProblem[] {
  const need = needOf(exercises);
  const problems = exercises.flatMap((exercise) => exercise.problems);
  if (need === undefined) return problems;
  return problems.map((problem) => {
    if (!ofWaiting.has(problem.id)) return problem;
    const message = `${problem.message} Other tools lack ${need}.`;
    return { ...problemOf(behaviours.serverNeedMissing, { message, tools: problem.tools }), cause: undefined };
  });
}

/**
 * A check whose every call failed has found out nothing good of the server. Where each tool says that something is
 * missing here, or that the generated arguments are wrong, that is not the server's fault.
 */
function nothingWorks(exercises: readonly Exercise[]): CheckProblem[] {
  const calls = exercises.reduce((sum, exercise) => sum + exercise.calls, 0);
  const isBroken = exercises.some(({ problems }) => problems.some(({ id }) => id === behaviours.toolBroken.id));
  if (calls === 0 || isBroken || exercises.some(({ ok }) => ok > 0)) return [];
  const need = needOf(exercises);
  const isExplained = exercises.every(({ calls: made, refused, refusals }) => {
    const texts = [...refusals];
    if (texts.length === 0) return need !== undefined;
    return texts.some(missingNeed) || (made === refused && texts.every(isAboutData));
  });
  const message = `${counted(calls, 'valid call')} of ${counted(exercises.length, 'tool')}, none answered with a result.`;
  return [problemOf(isExplained ? behaviours.noResultChecked : behaviours.noCallSucceeded, { message })];
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

/** Servers check arguments and make results in one place: what is wrong there is one problem, however many tools show it. */
const madeOnce: ReadonlySet<string> = new Set(
  [
    behaviours.invalidArgumentsAccepted,
    behaviours.extraArgumentAccepted,
    behaviours.invalidArgumentsInternalError,
    behaviours.errorNamesNoArgument,
    behaviours.errorShowsInternals,
    behaviours.outputSchemaMissing,
  ].map(({ id }) => id),
);

/** All trouble with the network is one cause, however each tool words it. */
function causeKey({ id, cause }: ToolProblem): string | undefined {
  if (madeOnce.has(id)) return '';
  if (cause === undefined) return undefined;
  return id === behaviours.serverNeedMissing.id ? missingNeed(cause) : cause;
}

function merged(group: readonly ToolProblem[]): CheckProblem[] {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const { cause, ...problem } = first;
  const need = first.id === behaviours.serverNeedMissing.id ? missingNeed(cause ?? '') : undefined;
  const lacking = need === undefined ? '' : `Without ${need}: `;
  if (others.length === 0) return [{ ...problem, message: `${lacking}${problem.message}` }];
  const tools = [...new Set(group.flatMap((one) => one.tools))];
  const who = `${counted(tools.length, 'tool')}, ${quoted(tools)}`;
  if (madeOnce.has(first.id)) return [{ ...problem, tools, message: `${who}; with \`${tools[0]}\`: ${first.message}` }];
  const causes = [...new Set(group.map((one) => one.cause ?? ''))].slice(0, mostCauses);
  return [{ ...problem, tools, message: `${lacking}${who}: ${causes.join(' / ')}` }];
}
