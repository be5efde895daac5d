import { hasTurns } from '../../domain/conversation.ts';
import { gapsIn } from '../../domain/coverage.ts';
import { type ObservedCall, observedCalls } from '../../domain/tools/tool-calls.ts';
import { eventsOf, type Trace, type TraceEventOf } from '../../domain/trace.ts';
import { countedUsage, sumOfUsage, type TokenUsage, tokenCounts } from '../../domain/usage.ts';
import { counted, grouped } from '../../shared/format.ts';
import type { EvaluationContext } from './evaluator.ts';

type Observed = Pick<EvaluationContext, 'trace' | 'turn'>;

/** Why nothing can be said of tokens. */
export const noTokenUsage = "No token usage data available (connector doesn't provide it)";
/** Why nothing can be said of the first token. */
export const noTimeToFirstToken = "No time to first token available (connector doesn't provide it)";

/** How long the answer took; found without looking at the answer itself, which can be large. */
export function latencyMsOf(trace: Trace): number | undefined {
  const turn = trace.findLast((event) => event.type === 'turn');
  if (turn?.type === 'turn') return turn.latencyMs;
  const [started, ended] = [eventsOf(trace, 'agent-started')[0], eventsOf(trace, 'agent-ended').at(-1)];
  // An agent that did a task has answered when it has ended.
  if (started && ended) return ended.at - started.at;
  const result = trace.findLast((event) => event.type === 'tool-result');
  // The time of an agent's own tools says nothing about the agent.
  return result?.type === 'tool-result' && result.seenBy !== 'agent' ? result.durationMs : undefined;
}

/** Why the tokens of an agent are more than those reported; undefined where every request has its figures. */
export function unreportedTokens({ trace }: Observed): string | undefined {
  const requests = hasTurns(trace) ? 0 : requestsIn(gapsIn(trace, 'usage'));
  return requests === 0 ? undefined : `The tokens of ${counted(requests, 'request')} are not known`;
}

function requestsIn(gaps: readonly TraceEventOf<'gap'>[]): number {
  return gaps.reduce((sum, { requests = 1 }) => sum + requests, 0);
}

/** Tokens of the answer; of an agent that did a task, those of all its requests. */
export function tokenUsageOf({ trace, turn }: Observed): TokenUsage | undefined {
  const usage = turn?.usage || hasTurns(trace) ? turn?.usage : sumOfUsage(countedUsage(trace));
  return usage && tokenCounts(usage);
}

/** Tools called in the answer; of an agent that did a task, those that it used. */
export function toolNamesOf({ trace, turn }: Observed): readonly string[] {
  return callsSoFar(trace)
    .filter((call) => call.turn === undefined || call.turn === turn?.number)
    .map(({ tool }) => tool);
}

/** Tool calls in all answers so far; a tool that is itself under test is called by the engine. */
export function callsSoFar(trace: Trace): readonly ObservedCall[] {
  const calls = observedCalls(trace);
  return hasTurns(trace) ? calls : calls.filter(({ seenBy }) => seenBy !== 'engine');
}

/** Cost of the answers so far, and how many of them have no known cost. */
export function costSoFar(trace: Trace): { readonly usd: number; readonly unknownCount: number } {
  const costs = hasTurns(trace) ? eventsOf(trace, 'turn') : countedUsage(trace);
  const reported = costs.flatMap(({ costUsd }) => costUsd ?? []);
  const withoutCost = costs.length === 0 ? 1 : costs.length - reported.length;
  const unknownCount = withoutCost + requestsIn(gapsIn(trace, 'cost'));
  return { usd: reported.reduce((total, usd) => total + usd, 0), unknownCount };
}

/** Milliseconds for reasons: `1,234ms`. */
export function inMs(ms: number): string {
  return `${grouped(ms < 10 ? Number(ms.toFixed(2)) : Math.round(ms))}ms`;
}
