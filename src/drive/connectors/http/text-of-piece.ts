import { messageText } from '../../../domain/message.ts';
import { isRecord } from '../../../shared/json.ts';
import { contentOf } from '../wire/read-message.ts';

/** Kinds of pieces that bring something else than what the agent says, or repeat it. */
const otherKinds =
  /done|end|stop|finish|complet|start|created|argument|input|reason|think|tool|status|usage|meta|ping/i;
const places = ['delta', 'content', 'text', 'token', 'textDelta', 'response', 'message', 'chunk', 'parts', 'reply'];

/** The text that a piece of a stream adds, in the usual shapes; undefined for a piece that adds none. */
export function textOfPiece(fields: Readonly<Record<string, unknown>>, eventType: string): string | undefined {
  const kind = typeof fields.type === 'string' ? fields.type : eventType;
  if (otherKinds.test(kind)) return undefined;
  for (const place of places) {
    const value = fields[place];
    if (typeof value === 'string') return value;
    const inside = isRecord(value) ? (value.content ?? value.parts ?? value.text) : value;
    if (typeof inside === 'string') return inside;
    if (Array.isArray(inside)) return messageText({ content: contentOf(inside) });
  }
  return undefined;
}
