import type { Message } from '../../../../domain/message.ts';
import { eventsOf, type Trace, type TraceEvent, type UnstampedEvent } from '../../../../domain/trace.ts';

/** All that an agent said and asked the server for, as the one answer that it gave. */
export function workflowTurn(trace: Trace): UnstampedEvent {
  const [started, ended] = [eventsOf(trace, 'agent-started')[0], eventsOf(trace, 'agent-ended')[0]];
  const usage = eventsOf(trace, 'usage');
  const input = sum(usage.map(({ inputTokens }) => inputTokens));
  const output = sum(usage.map(({ outputTokens }) => outputTokens));
  const costs = usage.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    type: 'turn',
    number: 1,
    messages: trace.flatMap(messageIn),
    latencyMs: Math.max(0, (ended?.at ?? 0) - (started?.at ?? 0)),
    ...(usage.length > 0 && { tokenUsage: { input, output, total: input + output } }),
    ...(usage.length > 0 && costs.length === usage.length && { costUsd: sum(costs) }),
  };
}

/** Calls are those that reached the server, by the names that it knows. */
function messageIn(event: TraceEvent): Message[] {
  if (event.type === 'message') return event.role === 'assistant' ? [{ role: 'assistant', content: event.text }] : [];
  if (event.seenBy !== 'recorder') return [];
  if (event.type === 'tool-call') {
    const { callId, tool, input } = event;
    const called = { name: tool, arguments: JSON.stringify(input) ?? 'null' };
    return [{ role: 'assistant', content: null, tool_calls: [{ id: callId, type: 'function', function: called }] }];
  }
  if (event.type !== 'tool-result') return [];
  return [{ role: 'tool', tool_call_id: event.callId, content: JSON.stringify(event.result ?? event.error) ?? '' }];
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}
