import { canonicalJson, isRecord, tracedJson } from '../../shared/json.ts';
import { type ActionKind, type Report, reportOfKind } from '../capability.ts';
import { hasTurns } from '../conversation.ts';
import { messageText } from '../message.ts';
import type { ControlKind } from '../tool-control/control-event.ts';
import type { ToolError } from '../tool-error.ts';
import {
  eventsOf,
  hasEvent,
  recordedServers,
  rememberedPerTrace,
  type Trace,
  type TraceEvent,
  type TraceEventOf,
} from '../trace.ts';
import { toolCallsIn } from '../turn.ts';
import { actionKindOf } from './action-kind.ts';

/** One call of a tool, listed once even if several observers recorded it. */
export interface ObservedCall {
  /** From 1, in the order in which the calls began. */
  readonly number: number;
  /** As its server or its agent calls it, without the name of the server. */
  readonly tool: string;
  readonly server: string | undefined;
  /** Title that the server reports for itself. */
  readonly serverTitle?: string | undefined;
  readonly input: unknown;
  /** It never reached a tool: the agent tried to call what it was not offered, or what cannot be sent. */
  readonly isRefused?: true | undefined;
  /** False where no answer is recorded: there was none, or it was not reported. */
  readonly isAnswered: boolean;
  readonly result: unknown;
  readonly error: ToolError | undefined;
  /** Undefined where the purpose of the tool is unknown. */
  readonly kind: ActionKind | undefined;
  /** The command line of a shell, where it is reported. */
  readonly shellCommand: string | undefined;
  /** The sub-agent that made it; undefined for the main agent. */
  readonly actor: string | undefined;
  /** Of a shell command, where it is known. */
  readonly exitCode: number | undefined;
  readonly durationMs: number | undefined;
  /** The kind of control that answered in place of the tool, or changed its answer. */
  readonly answeredBy?: ControlKind | undefined;
  readonly seenBy: TraceEvent['seenBy'];
  /** Of the event that records the call. */
  readonly eventIndex: number;
  /** The answer of the conversation in which it was made; undefined where there is no conversation. */
  readonly turn: number | undefined;
}

/** Whether Assay let a call fail; a planted instruction in a good result is not a failure. */
export function isBrokenOnPurpose({ answeredBy, error }: Pick<ObservedCall, 'answeredBy' | 'error'>): boolean {
  return answeredBy === 'fault' || (answeredBy === 'attack' && error !== undefined);
}

interface ReportedCall {
  readonly event: Omit<TraceEventOf<'tool-call'>, 'type' | 'at'>;
  readonly eventIndex: number;
  readonly turn: number | undefined;
  answer?: TraceEventOf<'tool-result'>;
}

/**
 * The calls of a trial, facts before reports: where a recorder stood in front of MCP servers, what it saw counts, and
 * the agent's own reports of the same calls are left out. Calls in the history that a conversation began with are not
 * those of its agent.
 */
export const observedCalls = rememberedPerTrace((trace): readonly ObservedCall[] => {
  const calls = reportedCalls(trace);
  if (calls.length === 0) return [];
  const reported = withAnswers(trace, calls);
  const titleOf = serverTitles(trace);
  return withoutReports(trace, reported).map(({ event, eventIndex, turn, answer }, index) => ({
    number: index + 1,
    ...named(event, titleOf),
    input: event.input,
    ...(event.isRefused && { isRefused: event.isRefused }),
    kind: actionKindOf(event),
    shellCommand: event.shellCommand,
    actor: event.actor,
    isAnswered: answer !== undefined,
    result: answer?.result,
    error: answer && (answer.error ?? errorWithin(answer.result)),
    exitCode: answer?.exitCode ?? undefined,
    durationMs: answer?.durationMs,
    ...(answer?.answeredBy && { answeredBy: answer.answeredBy }),
    seenBy: event.seenBy,
    eventIndex,
    turn,
  }));
});

/** How a server calls itself, by the name that its user gave it; a scenario with one server needs no such name. */
function serverTitles(trace: Trace): (server: string) => string | undefined {
  const servers = recordedServers(trace);
  const titles = new Map(servers.map(({ label, name }) => [label, name]));
  const only = new Set(titles.values()).size === 1 ? servers[0]?.name : undefined;
  return (server) => titles.get(server) ?? only;
}

function named(event: ReportedCall['event'], titleOf: (server: string) => string | undefined) {
  const call = event.seenBy === 'agent' ? ownName(event) : { tool: event.tool, server: event.server };
  const title = event.serverTitle ?? (call.server === undefined ? undefined : titleOf(call.server));
  return title === undefined || title === call.server ? call : { ...call, serverTitle: title };
}

function reportedCalls(trace: Trace): ReportedCall[] {
  // So it is in most conversations, and every channel of calls looks here.
  if (!hasEvent(trace, 'tool-call') && !eventsOf(trace, 'turn').some(hasCalls)) return [];
  const isConversation = hasTurns(trace);
  const hasServer = recordedServers(trace).length > 0;
  const calls: ReportedCall[] = [];
  let turn = isConversation ? 1 : undefined;
  let callsInTurn = 0;
  for (const [eventIndex, event] of trace.entries()) {
    if (event.type === 'tool-call') {
      if (isConversation && !hasServer && event.seenBy === 'engine') continue;
      callsInTurn++;
      calls.push({ event, eventIndex, turn });
    } else if (event.type === 'turn') {
      if (callsInTurn === 0) calls.push(...callsInMessages(event, eventIndex));
      callsInTurn = 0;
      turn = event.number + 1;
    }
  }
  return calls;
}

function hasCalls({ messages }: TraceEventOf<'turn'>): boolean {
  return messages.some(({ tool_calls }) => tool_calls !== undefined);
}

/** For an answer whose calls are recorded only in its messages. */
function callsInMessages(turn: TraceEventOf<'turn'>, eventIndex: number): ReportedCall[] {
  return toolCallsIn(turn).map(({ id: callId, function: { name, arguments: written } }) => {
    const event = { callId, tool: name, input: tracedJson(written), seenBy: 'agent' } as const;
    const answer = turn.messages.find(({ role, tool_call_id }) => role === 'tool' && tool_call_id === callId);
    const reported = { event, eventIndex, turn: turn.number };
    if (!answer) return reported;
    const result = messageText(answer);
    return {
      ...reported,
      answer: { type: 'tool-result', at: turn.at, seenBy: 'agent', callId, result },
    };
  });
}

/**
 * Ids may be used again: an answer belongs to the first call with its id that has none yet. The engine answers its own
 * calls, those in the history of a conversation included, and those of a bare model whose tools it runs.
 */
function withAnswers(trace: Trace, calls: readonly ReportedCall[]): readonly ReportedCall[] {
  const open = new Map<string, ReportedCall[]>();
  for (const call of calls) {
    if (call.answer) continue;
    const key = `${call.event.seenBy} ${call.event.callId}`;
    open.set(key, [...(open.get(key) ?? []), call]);
  }
  const callsOfEngine: string[] = [];
  for (const event of trace) {
    if (event.type === 'tool-call' && event.seenBy === 'engine') callsOfEngine.push(event.callId);
    if (event.type !== 'tool-result') continue;
    const ofEngine = event.seenBy === 'engine' ? callsOfEngine.indexOf(event.callId) : -1;
    if (ofEngine >= 0) callsOfEngine.splice(ofEngine, 1);
    const caller = event.seenBy === 'engine' && ofEngine < 0 ? 'agent' : event.seenBy;
    const answered = open.get(`${caller} ${event.callId}`)?.shift();
    if (answered) answered.answer = event;
  }
  return calls;
}

/** A result of MCP that says of itself that it is an error. */
function errorWithin(result: unknown): ToolError | undefined {
  if (!isRecord(result) || result.isError !== true) return undefined;
  const content = Array.isArray(result.content) ? result.content.filter(isRecord) : [];
  const texts = content.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return { message: texts.join('\n') || 'the tool failed' };
}

/** Agents name the tool of an MCP server `mcp__server__tool`. */
function ownName({ tool, server }: ReportedCall['event']): Pick<ObservedCall, 'tool' | 'server'> {
  const [, ofServer, bare] = /^mcp__(.+?)__(.+)$/s.exec(tool) ?? [];
  return bare === undefined ? { tool, server } : { tool: bare, server: server ?? ofServer };
}

function withoutReports(trace: Trace, calls: readonly ReportedCall[]): readonly ReportedCall[] {
  const recorded = calls.filter(({ event }) => event.seenBy === 'recorder');
  const servers = eventsOf(trace, 'mcp-server').filter(({ seenBy }) => seenBy === 'recorder');
  if (recorded.length === 0 && servers.length === 0) return calls;
  const prefixes = [
    'mcp__',
    ...[...servers.map(({ label }) => label), ...recorded.flatMap(({ event }) => event.server ?? [])].flatMap(
      (server) => [`${plain(server)}_`, `mcp_${plain(server)}_`],
    ),
  ];
  const isSurfaced = servers.some(({ surface }) => surface !== undefined);
  const unmatched = recorded.map(({ event }) => sameCall(event));
  return calls.filter(({ event }) => {
    if (event.seenBy !== 'agent') return true;
    if (prefixes.some((prefix) => plain(event.tool).startsWith(prefix))) return false;
    if (isSurfaced && surfaceTools.has(event.tool)) return false;
    const match = unmatched.indexOf(sameCall(event));
    if (match >= 0) unmatched.splice(match, 1);
    return match < 0;
  });
}

/** Tools that stand for those of a server; the recorder saw the calls that were meant. */
const surfaceTools: ReadonlySet<string> = new Set(['find_tools', 'call_tool', 'run_program']);

/** Agents write `server_tool`, `server-tool`, `server.tool` and the like, with whatever they allow in a name. */
function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '_');
}

function sameCall({ tool, input }: ReportedCall['event']): string {
  return `${tool} ${canonicalJson(input)}`;
}

/**
 * Whether silence means that there was nothing: what was seen was reported, and what was not seen is known not to have
 * happened only where an observer declares that it reports such facts.
 */
export function isReported(trace: Trace, report: Report): boolean {
  const isAction = kindReports.has(report);
  return (
    isDeclared(trace, report, isAction) ||
    ((report === 'tool-calls' || isAction) &&
      observedCalls(trace).some(({ kind, actor }) => isSign(report, kind, actor)))
  );
}

function isDeclared(trace: Trace, report: Report, isAction: boolean): boolean {
  return (
    eventsOf(trace, 'turn').some(({ reports }) => reports?.includes(report)) ||
    // All agents whose output is understood report their calls; not all distinguish them by kind.
    eventsOf(trace, 'agent-started').some(({ reports }) => reports?.includes(report) ?? !isAction) ||
    eventsOf(trace, 'reports').some(({ what }) => what.includes(report)) ||
    // Calls to an MCP server are made or recorded by Assay itself.
    ((report === 'tool-calls' || report === 'mcp-calls') && recordedServers(trace).length > 0)
  );
}

const kindReports: ReadonlySet<Report> = new Set([...Object.values(reportOfKind), 'subagent-calls']);

/** A call that was seen shows that calls like it are reported. */
function isSign(report: Report, kind: ActionKind | undefined, actor: string | undefined): boolean {
  if (report === 'tool-calls') return true;
  return report === 'subagent-calls' ? actor !== undefined : kind !== undefined && reportOfKind[kind] === report;
}
