import { attachmentIn, attachmentsOf } from '../../../domain/attachment.ts';
import type { Message } from '../../../domain/message.ts';
import { type AttachedFile, fileText, isTextFile } from '../../attachments/attached-file.ts';
import type { ConnectorRequest } from '../connector.ts';
import { blocksOf } from './messages.ts';
import type { FileBlock } from './provider.ts';

/** The request with the files themselves in the place of attachments; messages without any stay the same objects. */
export function withFileBlocks(
  request: ConnectorRequest,
  blockOf: (file: AttachedFile) => FileBlock,
): ConnectorRequest {
  const { files = [] } = request;
  if (files.length === 0) return request;
  const wired = (message: Message): Message => {
    if (attachmentsOf(message).length === 0) return message;
    const content = blocksOf(message.content).map((block) => {
      const file = fileFor(block, files);
      if (!file) return block;
      return isTextFile(file) ? { type: 'text', text: fileText(file.name, file.read()) } : { ...blockOf(file) };
    });
    return { ...message, content };
  };
  return { ...request, messages: request.messages.map(wired) };
}

/** The file that a block of a user's message stands for. */
export function fileFor(block: { readonly type: string }, files: readonly AttachedFile[]): AttachedFile | undefined {
  const attachment = attachmentIn(block);
  return attachment && files.find(({ sha256, path }) => sha256 === attachment.sha256 && path === attachment.path);
}

/** A request as the trace keeps it: digests in the place of the bytes. */
export function withoutFileData(body: string, files: readonly AttachedFile[] | undefined): string {
  const sent = (files ?? []).filter((file) => !isTextFile(file));
  return sent.reduce((text, file) => text.replaceAll(file.base64(), `sha256:${file.sha256}`), body);
}
