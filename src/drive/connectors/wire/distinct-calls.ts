import type { Loss } from '../../../domain/loss.ts';
import type { Message, MessageToolCall } from '../../../domain/message.ts';

interface DistinctCalls {
  readonly messages: Message[];
  readonly gaps: readonly Loss[];
}

/**
 * An answer in which every call has its own id. A call that the answer repeats is one call; two different calls with one
 * id are two, and it is unknown whose the result is. Ids of earlier answers are `taken`: some servers number the calls of
 * each answer from 1.
 */
export function distinctCalls(answer: readonly Message[], taken: Iterable<string> = []): DistinctCalls {
  const used = new Set(taken);
  const calls = new Map<string, string>();
  const renamed = new Map<string, string>();
  const gaps: Loss[] = [];
  const distinct = (call: MessageToolCall): MessageToolCall[] => {
    const text = `${call.function.name}(${call.function.arguments})`;
    const before = calls.get(call.id);
    if (before === text) return [];
    if (before !== undefined) {
      gaps.push({ channels: ['tool-results'], reason: `two calls have the id ${call.id}: ${before} and ${text}` });
    }
    const id = unusedId(call.id, used);
    used.add(id);
    if (before === undefined) calls.set(call.id, text);
    if (before === undefined && id !== call.id) renamed.set(call.id, id);
    return [{ ...call, id }];
  };
  const messages = answer.map((message) =>
    message.tool_calls ? { ...message, tool_calls: message.tool_calls.flatMap(distinct) } : message,
  );
  return { messages: messages.map((message) => withRenamedResult(message, renamed)), gaps };
}

function unusedId(id: string, used: ReadonlySet<string>): string {
  let unused = id;
  for (let number = 2; used.has(unused); number++) unused = `${id}-${number}`;
  return unused;
}

function withRenamedResult(message: Message, renamed: ReadonlyMap<string, string>): Message {
  const id = message.tool_call_id === undefined ? undefined : renamed.get(message.tool_call_id);
  return id === undefined ? message : { ...message, tool_call_id: id };
}
