import { gapOf } from '../../domain/loss.ts';
import { type Message, messageText } from '../../domain/message.ts';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { tracedJson } from '../../shared/json.ts';
import type { ConnectorResponse } from './connector.ts';

/** An answer of the agent as trace events: the exchange, its messages and calls, its usage, and what was lost of it. */
export function answerEvents({ messages, usage, costUsd, model, raw, gaps = [] }: ConnectorResponse): UnstampedEvent[] {
  const events: UnstampedEvent[] = [];
  if (raw) events.push({ type: 'other', seenBy: 'recorder', kind: 'exchange', data: raw });
  for (const message of messages)
    events.push(...messageEvents(message).map((event) => ({ ...event, seenBy: 'agent' as const })));
  if (usage || costUsd !== undefined)
    events.push({ type: 'usage', seenBy: 'agent', ...usage, ...present({ model, costUsd }) });
  for (const loss of gaps) events.push({ ...gapOf(loss), seenBy: 'recorder' });
  return events;
}

/** The words and the calls of a message, or the result that it holds. */
export function messageEvents(message: Message): UnstampedEvent[] {
  const { role } = message;
  const text = messageText(message);
  if (role === 'tool') {
    const outcome = message.status === 'error' ? { error: { message: text } } : { result: text };
    return [{ type: 'tool-result', callId: message.tool_call_id ?? '', ...outcome }];
  }
  const words: UnstampedEvent[] = text === '' ? [] : [{ type: 'message', role, text }];
  const calls = (message.tool_calls ?? []).map(
    ({ id, function: { name, arguments: input } }): UnstampedEvent => ({
      type: 'tool-call',
      callId: id,
      tool: name,
      input: tracedJson(input),
    }),
  );
  return [...words, ...calls];
}

type Present<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

/** The fields that have a value. */
export function present<Fields extends Record<string, unknown>>(fields: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;
}
