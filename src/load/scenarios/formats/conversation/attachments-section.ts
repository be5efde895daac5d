import { messageWithAttachments } from '../../../../domain/attachment.ts';
import { messageText } from '../../../../domain/message.ts';
import type { ConversationConfig } from '../../../../drive/conversation/conversation-config.ts';
import { openInspector } from '../attachment-inspector.ts';
import type { ConversationFile } from './conversation-schema.ts';
import type { ConversationReading } from './data-folder.ts';

type Spoken = Pick<ConversationConfig, 'messages' | 'userMessages'>;

/** The messages of a conversation with what their attachments are: a trial then sends these bytes or none. */
export async function readAttachments(file: ConversationFile, reading: ConversationReading): Promise<Spoken> {
  const { messages, userMessages } = file;
  const isAttached = [...messages, ...userMessages].some((item) => typeof item !== 'string' && item.attachments);
  if (!isAttached) return { messages, userMessages: userMessages.map(textOf) };
  const { source, context, found } = reading;
  const inspector = await openInspector(source, { ...context, projectFolder: context.folder }, found.problems);
  const spoken: Spoken = { messages: [], userMessages: [] };
  for (const [index, { attachments, ...message }] of messages.entries()) {
    const path = ['messages', index, 'attachments'];
    const inspected = attachments ? await inspector.inspect(attachments, path) : [];
    const text = messageText(message);
    if (attachments && (message.role !== 'user' || typeof message.content !== 'string' || text.trim() === ''))
      inspector.refuse(path, 'only a message of the user whose `content` is a text can have attachments');
    spoken.messages.push(inspected.length > 0 ? { ...message, ...messageWithAttachments(text, inspected) } : message);
  }
  for (const [index, message] of userMessages.entries()) {
    if (typeof message === 'string' || !message.attachments) spoken.userMessages.push(textOf(message));
    else {
      const inspected = await inspector.inspect(message.attachments, ['userMessages', index, 'attachments']);
      spoken.userMessages.push({ content: message.content, attachments: inspected });
    }
  }
  return spoken;
}

type UserMessage = ConversationFile['userMessages'][number];

function textOf(message: UserMessage): string {
  return typeof message === 'string' ? message : message.content;
}
