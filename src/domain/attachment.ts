import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import type { Message } from './message.ts';

/** A file that is sent with a message; its bytes are never part of a config or a trace. */
export const attachmentSchema = lazySchema(() =>
  z.object({
    path: z.string().min(1).describe('relative to the scenario file'),
    mediaType: z
      .enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf', 'text/plain'])
      .describe('by the bytes of the file, whatever its name says'),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    bytes: z.int().min(0).describe('size of the file'),
  }),
);
export type Attachment = z.infer<typeof attachmentSchema>;

/** A message of the user with its attachments as blocks beside the text. */
export function messageWithAttachments(text: string, attachments: readonly Attachment[]): Message {
  const blocks = attachments.map((attachment) => ({ type: 'attachment', ...attachment }));
  return { role: 'user', content: [{ type: 'text', text }, ...blocks] };
}

/** The attachments of a message; only the user has any, so no block of an agent's answer is taken for one. */
export function attachmentsOf({ role, content }: Message): Attachment[] {
  if (role !== 'user' || !Array.isArray(content)) return [];
  return content.flatMap((block) => attachmentIn(block) ?? []);
}

/** The attachment that a block of a user's message stands for. */
export function attachmentIn(block: { readonly type: string }): Attachment | undefined {
  return block.type === 'attachment' ? attachmentSchema.safeParse(block).data : undefined;
}

const endings: Readonly<Record<Attachment['mediaType'], string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
};

/** Where the bytes are kept, once for all trials that sent them; relative to the artifacts folder. */
export function attachmentArtifact({ sha256, mediaType }: Attachment): string {
  return `attachments/${sha256}.${endings[mediaType]}`;
}
