const marks: readonly (readonly [type: ImageType, at: number, mark: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBP'],
];

/** Images that browsers and models take. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** The type of an image by its bytes, whatever its name says; undefined for anything else. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const found = marks.find(([, at, mark]) => head.startsWith(mark, at));
  return found?.[0] === 'image/webp' && !head.startsWith('RIFF') ? undefined : found?.[0];
}

/** The type of a file that a model can be sent, by its bytes; undefined for anything else. */
export function mediaTypeOf(bytes: Uint8Array): ImageType | 'application/pdf' | 'text/plain' | undefined {
  if (Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-') return 'application/pdf';
  return imageTypeOf(bytes) ?? (isText(bytes) ? 'text/plain' : undefined);
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
