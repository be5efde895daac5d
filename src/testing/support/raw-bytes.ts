/** Bytes as a text of a test: those that are not ASCII are halves of characters, which no real text has. */
export function textOfBytes(bytes: Buffer): string {
  return [...bytes].map((byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join('');
}

/** The bytes of a text, in UTF-8 but for those that `textOfBytes` made. */
export function bytesOfText(text: string): Buffer {
  const parts = text.split(/([\udc80-\udcff]+)/);
  return Buffer.concat(
    parts.map((part, index) =>
      index % 2 === 0 ? Buffer.from(part) : Buffer.from([...part].map((half) => half.charCodeAt(0) - 0xdc00)),
    ),
  );
}
