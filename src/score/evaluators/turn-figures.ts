import { hasTurns } from '../../domain/conversation.ts';
import { countUnanswered } from '../../domain/costs.ts';
import type { TokenUsage } from '../../domain/message.ts';
import { type ObservedCall, observedCalls } from '../../domain/tools/tool-calls.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import { countedUsage } from '../../domain/usage.ts';
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
  const requests = hasTurns(trace) ? 0 : countUnanswered(trace, 'target');
  return requests === 0 ? undefined : `The tokens of ${counted(requests, 'request')} are not known`;
}

/** Tokens of the answer; of an agent that did a task, those of all its requests. */
export function tokenUsageOf({ trace, turn }: Observed): TokenUsage | undefined {
  if (turn?.tokenUsage || hasTurns(trace)) return turn?.tokenUsage;
  const requests = countedUsage(trace);
  if (requests.length === 0) return undefined;
  const input = requests.reduce((total, { inputTokens }) => total + inputTokens, 0);
  const output = requests.reduce((total, { outputTokens }) => total + outputTokens, 0);
  return { input, output, total: input + output };
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
  const unknownCount = withoutCost + countUnanswered(trace, 'target');
  return { usd: reported.reduce((total, usd) => total + usd, 0), unknownCount };
}

/** Milliseconds for reasons: `1,234ms`. */
export function inMs(ms: number): string {
  return `${grouped(ms < 10 ? Number(ms.toFixed(2)) : Math.round(ms))}ms`;
}
