import type { Channel } from '../capability.ts';
import { hasTurns } from '../conversation.ts';
import { countedUsage, withCountedUsage } from '../counted-usage.ts';
import type { ChannelCoverage } from '../coverage-schema.ts';
import { gapText } from '../coverage-text.ts';
import type { ControlKind } from '../tool-control/control-event.ts';
import { isReported, observedCalls } from '../tools/tool-calls.ts';
import { eventsOf, hasEvent, lastAnswer, type Trace, type TraceEventOf } from '../trace.ts';
import { totalTokensOf } from '../usage.ts';

/** Which part of a trial an assertion looks at. */
export type CoverageScope = 'answer' | 'trial';

const complete: ChannelCoverage = { state: 'complete' };

/** Of a channel that no source reports. */
export function unreportedCoverage(channel: Channel): ChannelCoverage {
  return unreported[channel].coverage;
}

/**
 * How much of a channel was observed: nothing where no source reports it, a part where a source lost something. For
 * an assertion about the last answer, losses in earlier answers do not count.
 */
export function channelCoverage(trace: Trace, channel: Channel, scope: CoverageScope = 'trial'): ChannelCoverage {
  const silence = unreported[channel];
  if (!silence.isReported(trace)) return silence.coverage;
  const gaps = gapsIn(trace, channel, scope).map(gapText);
  const lost = incomplete[channel]?.(trace, scope) ?? [];
  return gaps.length + lost.length === 0 ? complete : { state: 'partial', reasons: [...new Set([...gaps, ...lost])] };
}

/** The losses of a channel, in the order in which they happened. */
export function gapsIn(trace: Trace, channel: Channel, scope: CoverageScope = 'trial'): TraceEventOf<'gap'>[] {
  if (!hasEvent(trace, 'gap')) return [];
  const looked = scope === 'answer' ? trace.slice(startOfLastAnswer(trace)) : trace;
  // Models that play the user or a tool are not under test.
  return eventsOf(withCountedUsage(looked), 'gap').filter(
    ({ channels: touched, purpose }) => purpose === undefined && touched.includes(channel),
  );
}

/** Losses after the last answer that was seen: it need not have been the last. */
export function gapsAfterAnswer(trace: Trace, channel: Channel): TraceEventOf<'gap'>[] {
  const turn = trace.findLastIndex(isTurn);
  if (turn >= 0) return gapsIn(trace.slice(turn + 1), channel);
  const words = trace.findLastIndex((event) => event.type === 'message' && event.role === 'assistant');
  return channel === 'answers' && words >= 0 ? gapsIn(trace.slice(words + 1), channel) : [];
}

/** Index of the first event after the answer before the last. */
function startOfLastAnswer(trace: Trace): number {
  return trace.slice(0, trace.findLastIndex(isTurn)).findLastIndex(isTurn) + 1;
}

interface Silence {
  readonly isReported: (trace: Trace) => boolean;
  readonly coverage: ChannelCoverage;
}

/** When silence in a channel means nothing at all, and why. */
const unreported: Readonly<Record<Channel, Silence>> = {
  answers: unless(hasAnswer, 'no answer was recorded'),
  'tool-calls': unless(reportsCalls, 'the target does not report tool calls'),
  'tool-results': unless(
    (trace) => lastAnswer(trace) !== undefined || reportsCalls(trace),
    'the target does not report tool calls',
  ),
  commands: unless(reportsCommands, 'no recorder stood in front of the tool'),
  files: unless((trace) => hasEvent(trace, 'workspace'), 'there was no work directory'),
  state: unless(isStateRead, 'no state was compared'),
  page: unless(isPageRead, 'no page was read'),
  approvals: unless(hasApprover, 'no approval requests were answered here'),
  usage: unless(reportsUsage, 'the target does not report tokens'),
  cost: unless(reportsCost, 'the target does not report its cost'),
  times: unless(hasTimes, 'no time was measured'),
  requests: unless((trace) => hasEvent(trace, 'model-call'), 'no gateway stood between the agent and its model'),
};

function unless(isReportedIn: Silence['isReported'], reason: string): Silence {
  return { isReported: isReportedIn, coverage: { state: 'none', reasons: [reason] } };
}

/** An agent that ended without a message has answered with none; the words of the user are not an answer. */
function hasAnswer(trace: Trace): boolean {
  return (
    (['turn', 'tool-result', 'agent-ended', 'mcp-test'] as const).some((type) => hasEvent(trace, type)) ||
    eventsOf(trace, 'message').some(({ role }) => role === 'assistant')
  );
}

/** Also where it was read once and not again. */
function isStateRead(trace: Trace): boolean {
  return hasEvent(trace, 'state-change') || gapsIn(trace, 'state').length > 0;
}

function isPageRead(trace: Trace): boolean {
  return hasEvent(trace, 'page-state') || gapsIn(trace, 'page').length > 0;
}

/** Also where a request was lost. */
function hasApprover(trace: Trace): boolean {
  return hasEvent(trace, 'approval-policy') || hasEvent(trace, 'approval') || gapsIn(trace, 'approvals').length > 0;
}

function reportsCalls(trace: Trace): boolean {
  return hasEvent(trace, 'mcp-test') || isReported(trace, 'tool-calls');
}

function reportsCommands(trace: Trace): boolean {
  return hasRecorder(trace) || isReported(trace, 'shell-calls');
}

function hasRecorder(trace: Trace): boolean {
  return hasEvent(trace, 'command') || hasEvent(trace, 'workspace');
}

function reportsUsage(trace: Trace): boolean {
  return (
    isReported(trace, 'usage') ||
    targetUsage(trace).length > 0 ||
    eventsOf(trace, 'turn').some(({ usage }) => usage !== undefined)
  );
}

/** Requests of what is under test. */
function targetUsage(trace: Trace): TraceEventOf<'usage'>[] {
  return countedUsage(trace).filter(({ purpose }) => purpose === undefined);
}

function reportsCost(trace: Trace): boolean {
  const hasCost = ({ costUsd }: { readonly costUsd?: number | undefined }): boolean => costUsd !== undefined;
  return isReported(trace, 'cost') || targetUsage(trace).some(hasCost) || eventsOf(trace, 'turn').some(hasCost);
}

function hasTimes(trace: Trace): boolean {
  return (
    eventsOf(trace, 'turn').some(({ latencyMs }) => latencyMs !== undefined) ||
    (['agent-ended', 'mcp-test', 'server-performance'] as const).some((type) => hasEvent(trace, type)) ||
    eventsOf(trace, 'tool-result').some(({ durationMs }) => durationMs !== undefined)
  );
}

/** Losses that show in the events themselves. */
const incomplete: Readonly<Partial<Record<Channel, (trace: Trace, scope: CoverageScope) => string[]>>> = {
  // A call that was lost had a result.
  'tool-results': (trace, scope) => [...unreportedResults(trace), ...gapsIn(trace, 'tool-calls', scope).map(gapText)],
  // Without a recorder, the agent's own report of its shell is all that is known of commands.
  commands: (trace, scope) => (hasRecorder(trace) ? [] : gapsIn(trace, 'tool-calls', scope).map(gapText)),
  usage: (trace, scope) =>
    hasTurns(trace)
      ? turnsWithout(trace, scope, 'usage', ({ usage }) => usage, 'tokens')
      : requestsWithout(trace, totalTokensOf, 'tokens'),
  cost: (trace, scope) =>
    hasTurns(trace)
      ? turnsWithout(trace, scope, 'cost', ({ costUsd }) => costUsd, 'cost')
      : requestsWithout(trace, ({ costUsd }) => costUsd, 'cost'),
  times: (trace, scope) => [
    ...turnsWithout(trace, scope, 'times', ({ latencyMs }) => latencyMs, 'time'),
    ...standInTimes(scope === 'answer' ? trace.slice(startOfLastAnswer(trace)) : trace),
  ],
};

/** Mocks and recordings that answered: how long the real tool takes was not seen. */
function standInTimes(trace: Trace): string[] {
  const isBy = (kind: ControlKind) => trace.some((event) => 'answeredBy' in event && event.answeredBy === kind);
  return [
    ...(isBy('mock') || hasMockedServer(trace) ? ['a mock answered in place of the tool'] : []),
    ...(eventsOf(trace, 'tool-control').some(({ kind }) => kind === 'simulate')
      ? ['a model answered in place of the tool']
      : []),
    ...(isBy('replay') || hasEvent(trace, 'tool-tape') ? ['a recording answered in place of the tool'] : []),
  ];
}

/** Whether all requests to a server of the trial go to a stand-in. */
export function hasMockedServer(trace: Trace): boolean {
  return eventsOf(trace, 'mcp-server').some(({ transport }) => transport === 'mock');
}

/** An observer at the tool sees that there is no answer; an agent may leave it out. */
function unreportedResults(trace: Trace): string[] {
  // Of tools that are called directly there is none, and pairing their events takes a twentieth of a cheap trial.
  if (!hasEvent(trace, 'turn') && !trace.some(({ seenBy }) => seenBy === 'agent')) return [];
  return observedCalls(trace)
    .filter(({ isAnswered, isRefused, seenBy }) => !isAnswered && !isRefused && seenBy === 'agent')
    .map(({ number, tool }) => `the result of call ${number}, \`${tool}\`, was not reported`);
}

/** Answers without a figure, unless a gap in the answer already says that it was lost. */
function turnsWithout(
  trace: Trace,
  scope: CoverageScope,
  channel: Channel,
  figureOf: (turn: TraceEventOf<'turn'>) => unknown,
  what: string,
): string[] {
  const without = eventsOf(trace, 'turn').filter((turn) => figureOf(turn) === undefined);
  const looked = scope === 'answer' ? without.filter((turn) => turn === trace.findLast(isTurn)) : without;
  return looked
    .filter((turn) => gapsIn(trace.slice(0, trace.indexOf(turn) + 1), channel, 'answer').length === 0)
    .map(({ number }) => `answer ${number} did not report its ${what}`);
}

function isTurn({ type }: Trace[number]): boolean {
  return type === 'turn';
}

function requestsWithout(trace: Trace, figureOf: (usage: TraceEventOf<'usage'>) => unknown, what: string): string[] {
  return targetUsage(trace).flatMap((usage, index) =>
    figureOf(usage) === undefined ? [`request ${index + 1} did not report its ${what}`] : [],
  );
}
