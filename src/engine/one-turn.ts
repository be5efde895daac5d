import { AssayError } from '../domain/errors.ts';
import type { Trace, TraceEvent } from '../domain/trace.ts';
import { lastTurn } from '../domain/turn.ts';
import type { Answer, EvaluationContext } from '../score/evaluators/evaluator.ts';

/** An answer with the turn that it is about in its reason. */
export function namedByTurn(turn: number, answer: Answer): Answer {
  if (answer.state !== 'error') return { ...answer, reason: `Turn ${turn}: ${answer.reason}` };
  const { code, message, hint, blame } = answer.error;
  const error = new AssayError(code, `Turn ${turn}: ${message}`, { hint, blame, cause: answer.error });
  return { ...answer, error };
}

/**
 * A trial as an assertion on one turn sees it: what was said and called before and after does not count. The error says
 * that there was no such turn.
 */
export function contextOfTurn(context: EvaluationContext, turn: number): EvaluationContext | AssayError {
  const trace = traceOfTurn(context.trace, turn);
  if (!trace) return missingTurn(context.trace);
  const { trial, workspace, workspaceFault, failures, judging, services, signal } = context;
  return {
    ...{ trial, workspace, workspaceFault, failures, judging, services, signal },
    trace,
    wholeTrace: context.trace,
    turn: lastTurn(trace),
    isFinal: true,
  };
}

/** Facts about the whole trial that a part of its trace needs too. */
const lastingEvents: ReadonlySet<TraceEvent['type']> = new Set(['reports', 'agent-started', 'mcp-server', 'notice']);

/** From the user's message up to the answer; undefined where there was no such turn. */
function traceOfTurn(trace: Trace, number: number): Trace | undefined {
  const end = trace.findIndex((event) => event.type === 'turn' && event.number === number);
  if (end < 0) return undefined;
  const after = trace.slice(0, end).findLastIndex(({ type }) => type === 'turn') + 1;
  const words = trace
    .slice(after, end)
    .findLastIndex((event) => event.type === 'message' && event.role === 'user' && event.seenBy === 'engine');
  const start = after + Math.max(words, 0);
  return [...trace.slice(0, start).filter(({ type }) => lastingEvents.has(type)), ...trace.slice(start, end + 1)];
}

function missingTurn(trace: Trace): AssayError {
  const last = trace.findLast((event) => event.type === 'turn');
  const ended = last?.type === 'turn' ? `the conversation ended after turn ${last.number}` : 'no turn was recorded';
  return new AssayError('TURN_MISSING', `There was no such turn: ${ended}.`);
}
