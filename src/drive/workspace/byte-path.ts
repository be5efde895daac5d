/**
 * A path as the bytes that the file system knows, one character each: names need not be UTF-8, and two that differ
 * must stay different.
 */
export type BytePath = string;

/** The bytes of a path that is text. */
export function bytePath(text: string): BytePath {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The path in the form that the file system takes. */
export function fileOf(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** The path for people and reports; bytes that are not text are shown as `\xNN`. */
export function printablePath(path: BytePath): string {
  const text = fileOf(path).toString('utf8');
  if (!text.includes('\uFFFD')) return text;
  return path.replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}
