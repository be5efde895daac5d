import type { Loss } from '../../../domain/loss.ts';
import type { Message, MessageToolCall } from '../../../domain/message.ts';

interface DistinctCalls {
  readonly messages: Message[];
  readonly gaps: readonly Loss[];
}

interface EarlierCalls {
  /** Ids that no call of the answer may have: some servers number the calls of each answer from 1. */
  readonly taken?: readonly string[];
  /** Ids of calls whose results the answer may hold. */
  readonly open?: readonly string[];
}

/**
 * An answer in which every call has its own id, and every result a call. A call that the answer repeats is one call; two
 * different calls with one id are two or one, and it is unknown whose the result is. A result without a call shows that a
 * call was lost.
 */
export function distinctCalls(
  answer: readonly Message[],
  { taken = [], open = taken }: EarlierCalls = {},
): DistinctCalls {
  // Most answers are words alone, and need no closer look.
  if (answer.every(({ role, tool_calls: calls }) => role !== 'tool' && !calls))
    return { messages: [...answer], gaps: [] };
  const used = new Set(taken);
  const calls = new Map<string, string>();
  const renamed = new Map<string, string>();
  const gaps: Loss[] = [];
  const distinct = (call: MessageToolCall): MessageToolCall[] => {
    const text = `${call.function.name}(${call.function.arguments})`;
    const before = calls.get(call.id);
    if (before === text) return [];
    if (before !== undefined) {
      gaps.push({ channels: ['tool-calls'], reason: `two calls have the id ${call.id}: ${before} and ${text}` });
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
  gaps.push(...resultsOfNoCall(answer, new Set([...open, ...calls.keys()])));
  return { messages: messages.map((message) => withRenamedResult(message, renamed)), gaps };
}

/** A result that names no call belongs to one that is there. */
export function resultsOfNoCall(
  answer: readonly Message[],
  calls: ReadonlySet<string> = new Set(callIdsIn(answer)),
): Loss[] {
  return answer
    .filter(({ role, tool_call_id: id }) => role === 'tool' && (id === undefined ? calls.size === 0 : !calls.has(id)))
    .map(({ tool_call_id: id }) => ({
      channels: ['tool-calls'],
      reason: `no call has the id of a result (${id ?? '-'})`,
    }));
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

/** Ids of the calls of a conversation. */
export function callIdsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
}
