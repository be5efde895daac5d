import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { StateRow } from '../../../domain/state-change.ts';
import type { Snapshot } from '../read-state.ts';

const mostFiles = 20_000;
const mostBytes = 512 * 1_048_576;
const longestText = 16_384;

/** The files of a folder and of those in it. Links are named and not followed. */
export async function readFolder(
  folder: string,
  { absent }: { readonly absent: 'error' | 'empty' },
  signal: AbortSignal,
): Promise<Snapshot> {
  const root = await lstat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && absent === 'empty') return undefined;
    throw error;
  });
  if (!root) return { rows: [], keys: [] };
  if (!root.isDirectory()) throw new Error('it is not a folder');
  const rows: StateRow[] = [];
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    signal.throwIfAborted();
    if (entry.isDirectory()) continue;
    if (rows.length >= mostFiles) throw new Error(`it has more than ${mostFiles} files`);
    const path = join(entry.parentPath, entry.name);
    const row = entry.isSymbolicLink() ? { link: await readlink(path) } : await contentOf(path);
    bytes += 'bytes' in row ? Number(row.bytes) : 0;
    if (bytes > mostBytes) throw new Error('its files are too large to be compared');
    rows.push({ path: path.slice(folder.length + 1), ...row });
  }
  return { rows, keys: rows.map(({ path }) => String(path)) };
}

/** Opening never waits for a pipe, nor follows a link that has just taken the file's place. */
async function contentOf(path: string): Promise<StateRow> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  await using file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  const stats = await file.stat();
  if (!stats.isFile()) return { other: true };
  const hash = createHash('sha256');
  let text: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    text = text && text.length + chunk.length <= longestText ? Buffer.concat([text, chunk]) : undefined;
  }
  const written = text && textOf(text);
  return { bytes: stats.size, sha256: hash.digest('hex'), ...(written !== undefined && { text: written }) };
}

/** Undefined for bytes that are not UTF-8. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
