import { messageText } from '../../../domain/message.ts';
import type { ConnectorRequest } from '../connector.ts';
import { withoutMetadata } from './messages.ts';
import type { PlaceholderValues } from './placeholders.ts';

/** The facts of a turn that a request to an endpoint may contain. */
export function placeholderValues(request: ConnectorRequest, threadId: string | undefined): PlaceholderValues {
  const { conversationId, turn, model } = request;
  const messages = withoutMetadata(request.messages);
  const last = messages.findLast(({ role }) => role === 'user');
  return { messages, message: last ? messageText(last) : '', conversationId, turn, model, threadId };
}
