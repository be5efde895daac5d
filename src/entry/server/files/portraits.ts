import { readFile, stat } from 'node:fs/promises';
import { AssayError } from '../../../domain/errors.ts';
import { imageTypeOf } from '../../../shared/media-type.ts';
import { placeOf } from './file-place.ts';

const mostBytes = 1_000_000;
const images = {
  // SVG is left out: it can hold scripts.
  endings: ['.png', '.jpg', '.jpeg', '.gif', '.webp'],
  hint: 'Name a PNG, JPEG, GIF or WebP file inside the project.',
};

interface Portrait {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** An image of the project; its type is the one that its bytes have, whatever its name says. */
export async function readPortrait(folder: string, path: string): Promise<Portrait> {
  const { absolute, isThere } = await placeOf(folder, path, images);
  if (!isThere) throw refused(path, 'there is no such file');
  if ((await stat(absolute)).size > mostBytes) throw refused(path, 'it is larger than 1 MB');
  const bytes = new Uint8Array(await readFile(absolute));
  const type = imageTypeOf(bytes);
  if (type === undefined) throw refused(path, 'its content is not a PNG, JPEG, GIF or WebP image');
  return { bytes, type };
}

/** The portrait as an answer that a browser takes for an image and for nothing else. */
export function portraitResponse({ bytes, type }: Portrait): Response {
  return new Response(bytes, {
    headers: {
      'content-type': type,
      'content-length': String(bytes.byteLength),
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  });
}

function refused(path: string, why: string): AssayError {
  return new AssayError('USAGE', `"${path}" is not a portrait: ${why}.`, { hint: images.hint });
}
