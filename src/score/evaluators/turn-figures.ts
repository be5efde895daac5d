import { hasTurns } from '../../domain/conversation.ts';
import { countedUsage } from '../../domain/counted-usage.ts';
import { type ObservedCall, observedCalls } from '../../domain/tools/tool-calls.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import { totalTokensOf, type Usage } from '../../domain/usage.ts';
import { grouped } from '../../shared/format.ts';
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

/** Which tokens are counted. */
export type TokenPart = 'total' | 'input' | 'output';

const tokensOfPart: Readonly<Record<TokenPart, (usage: Usage) => number | undefined>> = {
  total: totalTokensOf,
  input: ({ inputTokens }) => inputTokens,
  output: ({ outputTokens }) => outputTokens,
};

/** Known tokens of the answer, and whether they are all; of an agent that did a task, those of all its requests. */
export function knownTokens(context: Observed, part: TokenPart): { tokens: number; isAll: boolean } | undefined {
  const counts = usagesOf(context).map(tokensOfPart[part]);
  if (counts.length === 0) return undefined;
  const tokens = counts.reduce<number>((sum, count = 0) => sum + count, 0);
  return { tokens, isAll: counts.every((count) => count !== undefined) };
}

function usagesOf({ trace, turn }: Observed): readonly Usage[] {
  if (turn?.usage) return [turn.usage];
  return hasTurns(trace) ? [] : countedUsage(trace);
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

/** Known cost of the answers so far; the coverage of the trace says whether it is all of it. */
export function costSoFar(trace: Trace): number {
  const costs = hasTurns(trace) ? eventsOf(trace, 'turn') : countedUsage(trace);
  return costs.reduce((total, { costUsd = 0 }) => total + costUsd, 0);
}

/** Milliseconds for reasons: `1,234ms`. */
export function inMs(ms: number): string {
  return `${grouped(ms < 10 ? Number(ms.toFixed(2)) : Math.round(ms))}ms`;
}
