import type { WireReply } from '../wire/codec.ts';
import { argumentText } from '../wire/values.ts';

/**
 * The answer to a request for JSON that offered no tool. Some providers enforce a schema by a tool whose input is the
 * answer; other words beside it would make it unreadable.
 */
export function inRequestedForm(reply: WireReply): WireReply {
  const filled = reply.parts.findLast((part) => part.kind === 'call');
  if (filled?.kind !== 'call') return reply;
  return { ...reply, parts: [{ kind: 'text', text: argumentText(filled.call) }], finish: 'stop' };
}
