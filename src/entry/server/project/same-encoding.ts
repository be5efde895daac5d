const byteOrderMark = '\uFEFF';

/**
 * A text as bytes in the manner of the file that it replaces: with its byte order mark, and with its line ends where an
 * editor gave all of them as line feeds.
 */
export function encodeLike(text: string, current: Buffer | undefined): Buffer {
  const before = current?.toString('utf8') ?? '';
  const hadMark = before.startsWith(byteOrderMark) && !text.startsWith(byteOrderMark);
  const lines = isAllCrlf(before) && !text.includes('\r') ? text.replaceAll('\n', '\r\n') : text;
  return Buffer.from(hadMark ? byteOrderMark + lines : lines);
}

/** Whether a text has line ends, and each of them is CR LF. */
export function isAllCrlf(text: string): boolean {
  return /\r\n/.test(text) && !/(?<!\r)\n/.test(text);
}

/** A text for an editor that knows line feeds only; one with different line ends is left as it is. */
export function lineFeedsOnly(text: string): string {
  return isAllCrlf(text) ? text.replaceAll('\r\n', '\n') : text;
}
