import { hash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import type { Attachment } from '../../domain/attachment.ts';
import { mediaTypeOf } from '../../shared/media-type.ts';

/** The largest file that is sent, and the most that one conversation sends. */
export const attachmentLimits = { fileBytes: 10_000_000, totalBytes: 20_000_000 } as const;

interface Places {
  /** Folder that the path is relative to. */
  readonly directory: string;
  /** Folder that the file must lie in, also when links are followed. */
  readonly projectFolder: string;
}

/** Looks at a file that is to be sent to a model; gives the reason where it cannot be. */
export async function inspectAttachment(path: string, places: Places): Promise<Attachment | { problem: string }> {
  const real = await realpath(resolve(places.directory, path)).catch(() => undefined);
  if (real === undefined) return { problem: 'there is no such file' };
  const [first] = relative(await realpath(places.projectFolder), real).split(sep);
  if (first === '..' || first === '' || resolve(first ?? '') === first)
    return { problem: 'it lies outside the project' };
  const entry = await stat(real);
  if (!entry.isFile()) return { problem: 'it is not a file' };
  if (entry.size > attachmentLimits.fileBytes) return { problem: 'it is larger than 10 MB' };
  const content = await readFile(real).catch(() => undefined);
  if (content === undefined) return { problem: 'it cannot be read' };
  const mediaType = mediaTypeOf(content);
  if (mediaType === undefined)
    return { problem: 'its content is not a PNG, JPEG, GIF or WebP image, a PDF document or UTF-8 text' };
  return { path, mediaType, sha256: hash('sha256', content), bytes: content.length };
}
