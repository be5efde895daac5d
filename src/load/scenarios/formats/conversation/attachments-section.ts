import { type Attachment, messageWithAttachments } from '../../../../domain/attachment.ts';
import { messageText } from '../../../../domain/message.ts';
import type { ConversationConfig } from '../../../../drive/targets/conversation/conversation-config.ts';
import type { DataPath } from '../../../sources/parsed-source.ts';
import type { ConversationFile } from './conversation-schema.ts';
import type { ConversationReading } from './data-folder.ts';

type Spoken = Pick<ConversationConfig, 'messages' | 'userMessages'>;

/** The messages of a conversation with what their attachments are: a trial then sends these bytes or none. */
export async function readAttachments(file: ConversationFile, reading: ConversationReading): Promise<Spoken> {
  const { messages, userMessages } = file;
  const isAttached = [...messages, ...userMessages].some((item) => typeof item !== 'string' && item.attachments);
  if (!isAttached) return { messages, userMessages: userMessages.map(textOf) };
  const inspector = await openInspector(reading);
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

interface Inspector {
  inspect(paths: readonly string[], at: DataPath): Promise<Attachment[]>;
  refuse(at: DataPath, message: string): void;
}

async function openInspector({ source, context, found }: ConversationReading): Promise<Inspector> {
  // Few conversations have attachments, and then none of this need be loaded.
  const { attachmentLimits, inspectAttachment } = await import('../../../../drive/attachments/inspect-attachment.ts');
  const places = { directory: context.directory, projectFolder: context.folder };
  const sizes = new Map<string, number>();
  let isOverLimit = false;
  const refuse = (at: DataPath, message: string): void => {
    found.problems.push({ at: source.locate(at), message });
  };
  const inspectOne = async (path: string, at: DataPath): Promise<Attachment[]> => {
    if (path.includes('{{')) {
      refuse(at, `\`${path}\` cannot be attached: a path cannot have templates`);
      return [];
    }
    const inspected = await inspectAttachment(path, places);
    if ('problem' in inspected) {
      refuse(at, `\`${path}\` cannot be attached: ${inspected.problem}`);
      return [];
    }
    sizes.set(inspected.sha256, inspected.bytes);
    const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    if (total > attachmentLimits.totalBytes && !isOverLimit) {
      isOverLimit = true;
      refuse(at, `\`${path}\` cannot be attached: the attachments of the scenario are larger than 20 MB together`);
    }
    return [inspected];
  };
  return {
    refuse,
    async inspect(paths, at) {
      const attachments: Attachment[] = [];
      for (const [index, path] of paths.entries()) attachments.push(...(await inspectOne(path, [...at, index])));
      return attachments;
    },
  };
}
