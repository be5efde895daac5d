import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { FolderView, LinesView, WorkFolder } from '../../../judge/judge.ts';
import { excerptOf } from '../../excerpt.ts';

interface WorkFolderLimits {
  /** Of all files that are read for one judge. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

const mostEntries = 200;
const mostLines = 400;
const mostMatches = 50;
const mostFiles = 5_000;
const largestFileBytes = 2 * 1024 * 1024;

class Refusal extends Error {}

/** The work directory of a trial, for reading only: no link is followed, and nothing outside of it is reached. */
export function openWorkFolder(directory: string, { maxBytes, timeoutMs }: WorkFolderLimits): WorkFolder {
  const endsAt = performance.now() + timeoutMs;
  let bytesLeft = maxBytes;
  const assertTime = (): void => {
    if (performance.now() > endsAt) throw new Refusal(`the time limit of ${timeoutMs / 1_000} s is reached`);
  };
  const spend = (bytes: number): void => {
    if (bytes > bytesLeft) throw new Refusal(`the limit of ${maxBytes} bytes is reached`);
    bytesLeft -= bytes;
  };
  const guarded = async <View extends object>(look: () => Promise<View>): Promise<View | { problem: string }> => {
    try {
      assertTime();
      return await look();
    } catch (error) {
      if (error instanceof Refusal) return { problem: error.message };
      return { problem: `it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})` };
    }
  };
  return {
    list: (path) =>
      guarded(async (): Promise<FolderView> => {
        const found = await entriesOf(await checkedPath(directory, path, 'folder'));
        const entries = found.slice(0, mostEntries).map(({ name, kind, size }) => `${name} (${kind}, ${size} bytes)`);
        spend(Buffer.byteLength(entries.join('\n')));
        const more = found.length - entries.length;
        return { entries: [...entries, ...(more > 0 ? [`${more} more are not listed`] : [])] };
      }),
    read: (path, from, to) =>
      guarded(async (): Promise<LinesView> => {
        const all = linesIn(await readText(await checkedPath(directory, path, 'file')));
        if (from > all.length) throw new Refusal(`the file has ${all.length} lines`);
        const lines = all.slice(from - 1, Math.min(to, from - 1 + mostLines));
        const bytes = Buffer.byteLength(lines.join('\n'));
        spend(bytes);
        return { lines, lineCount: all.length, bytes };
      }),
    search: (path, wanted) =>
      guarded(async (): Promise<FolderView> => {
        if (wanted === '') throw new Refusal('there is no text to search for');
        const entries: string[] = [];
        for await (const file of entriesBelow(await checkedPath(directory, path, 'folder'), path)) {
          assertTime();
          if (file.kind !== 'file') continue;
          const text = await readText(file.path).catch(() => '');
          for (const [index, line] of linesIn(text).entries()) {
            if (line.includes(wanted)) entries.push(`${file.name}, line ${index + 1}: ${excerptOf(line)}`);
            if (entries.length >= mostMatches) break;
          }
          if (entries.length >= mostMatches) break;
        }
        spend(Buffer.byteLength(entries.join('\n')));
        return { entries };
      }),
  };
}

interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
}

async function entriesOf(folder: string): Promise<Entry[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name): Promise<Entry> => {
      const stats = await lstat(join(folder, name));
      const kind = stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
      return { name, kind, size: kind === 'file' ? stats.size : 0 };
    }),
  );
}

/** The absolute path of something that is below the directory without any link on the way. */
async function checkedPath(directory: string, path: string, kind: 'file' | 'folder'): Promise<string> {
  const quotedPath = excerptOf(path);
  if (path.includes('\0') || isAbsolute(path)) throw new Refusal(`${quotedPath} is not a path in the work directory`);
  const steps = path.split(/[/\\]/).filter((step) => step !== '' && step !== '.');
  if (steps.includes('..')) throw new Refusal(`${quotedPath} has ".." in it, which is refused`);
  let at = directory;
  for (const step of steps) {
    at = join(at, step);
    const stats = await lstat(at).catch(() => undefined);
    if (!stats) throw new Refusal(`${quotedPath} does not exist`);
    if (stats.isSymbolicLink()) throw new Refusal(`${quotedPath} leads through a link, which is refused`);
  }
  const stats = await lstat(at);
  if (kind === 'file' ? !stats.isFile() : !stats.isDirectory()) throw new Refusal(`${quotedPath} is not a ${kind}`);
  return at;
}

/** Opening never waits and never follows a link that took the place of the file. */
async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path);
  if (bytes.includes(0)) throw new Refusal('the file is not text');
  return bytes.toString('utf8');
}

async function readBytes(path: string): Promise<Buffer> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  await using file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  const { size } = await file.stat();
  if (size > largestFileBytes)
    throw new Refusal(`the file has ${size} bytes; no more than ${largestFileBytes} are read`);
  return file.readFile();
}

function linesIn(text: string): string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

interface FoundEntry extends Pick<Entry, 'name' | 'kind'> {
  readonly path: string;
}

/** Everything below a folder, named from the work directory; links are named and not followed. */
async function* entriesBelow(folder: string, name: string): AsyncGenerator<FoundEntry> {
  const pending = [{ path: folder, name: name === '' || name === '.' ? '' : `${name.replace(/\/+$/, '')}/` }];
  for (let count = 0, at = pending.shift(); at !== undefined; at = pending.shift()) {
    for (const entry of await entriesOf(at.path)) {
      if (++count > mostFiles) return;
      const found = { path: join(at.path, entry.name), name: `${at.name}${entry.name}`, kind: entry.kind };
      if (entry.kind === 'folder') pending.push({ path: found.path, name: `${found.name}/` });
      yield found;
    }
  }
}
