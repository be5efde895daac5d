import { isUtf8 } from 'node:buffer';

/** Whether a text is all that its bytes say: decoding puts a mark in the place of bytes that are not UTF-8. */
export function isWholeText(text: string, bytes: Buffer): boolean {
  return !text.includes('\uFFFD') || isUtf8(bytes);
}
