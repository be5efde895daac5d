import type { Message } from './message.ts';
import type { Trace } from './trace.ts';
import { turnsOf } from './turn.ts';

/** All messages of a trial in order: those of the user are events, those of the agent are in its turns. */
export function messagesOf(trace: Trace): readonly Message[] {
  if (!trace.some(({ type }) => type === 'turn')) {
    const prompts = trace.flatMap((event): readonly Message[] =>
      event.type === 'message' && event.role === 'user' ? [{ role: 'user', content: event.text }] : [],
    );
    return [...prompts, ...turnsOf(trace).flatMap(({ messages }) => messages)];
  }
  return trace.flatMap((event): readonly Message[] => {
    if (event.type === 'turn') return event.messages;
    const isOurs = event.type === 'message' && event.seenBy === 'engine';
    return isOurs ? [{ role: event.role, content: event.text }] : [];
  });
}
