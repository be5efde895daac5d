import { createHash } from 'node:crypto';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The thread of a conversation: its own id, or a UUID made from it, because LangGraph takes nothing else. The salt keeps
 * a trial that is done again from going on in the thread of the first try.
 */
export function threadIdOf(conversationId: string, salt: string): string {
  if (uuid.test(conversationId)) return conversationId;
  const bytes = createHash('sha256').update(`${salt}:${conversationId}`).digest().subarray(0, 16);
  // Version 8, for ids of one's own making, and the variant of RFC 9562.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
