import { constants, type Stats } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { excerptOf } from '../excerpt.ts';
import { GateFailure } from './gate.ts';
import type { CheckedText } from './text-check.ts';

interface WorkFile {
  /** Absolute, with every link followed. */
  readonly path: string;
  readonly stats: Stats;
}

const maxReadBytes = 8 * 1024 * 1024;
const readBytes = 256 * 1024;

/** Finds something in the work directory without ever leaving it, or throws a `GateFailure`. */
export async function findWorkFile(directory: string, path: string): Promise<WorkFile> {
  const quotedPath = excerptOf(path);
  if (path === '') throw new GateFailure('The path is empty');
  if (path.includes('\0')) throw new GateFailure(`${quotedPath} contains a null character`);
  if (isAbsolute(path))
    throw new GateFailure(`${quotedPath} is an absolute path; gates only look into the work directory`);
  if (path.split(/[/\\]/).includes('..')) {
    throw new GateFailure(`${quotedPath} has ".." in it; gates only look into the work directory`);
  }
  try {
    const found = await realpath(join(directory, path));
    if (!isInside(await realpath(directory), found)) {
      throw new GateFailure(`${quotedPath} is a link that leads out of the work directory; it was not followed`);
    }
    return { path: found, stats: await stat(found) };
  } catch (error) {
    throw await explained(error, directory, path);
  }
}

function isInside(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

async function explained(error: unknown, directory: string, path: string): Promise<unknown> {
  const quotedPath = excerptOf(path);
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new GateFailure(await describeAbsence(directory, path));
    case 'ELOOP':
      return new GateFailure(`${quotedPath} is a link that points to itself`);
    case 'ENAMETOOLONG':
      return new GateFailure(`${quotedPath} is too long for a path`);
    case 'EACCES':
    case 'EPERM':
      return new GateFailure(`${quotedPath} could not be read: permission denied`);
    default:
      return error;
  }
}

async function describeAbsence(directory: string, path: string): Promise<string> {
  const link = await lstat(join(directory, path)).catch(() => undefined);
  const what = link?.isSymbolicLink() ? 'is a link to something that does not exist' : 'does not exist';
  return `${excerptOf(path)} ${what} in the work directory`;
}

/** The text of a file of the work directory, its first 8 MB at most. */
export async function readWorkFile(directory: string, path: string): Promise<CheckedText> {
  const file = await findWorkFile(directory, path);
  const quotedPath = excerptOf(path);
  if (!file.stats.isFile()) throw new GateFailure(`${quotedPath} is ${kindOf(file.stats)}, wanted a file with text`);
  const bytes = await readHead(file.path).catch(async (error: unknown) => {
    throw await explained(error, directory, path);
  });
  const isWhole = bytes.length <= maxReadBytes;
  const text = decoded(bytes.subarray(0, maxReadBytes), isWhole);
  if (text === undefined) throw new GateFailure(`${quotedPath} is not text: its bytes are not valid UTF-8`);
  const leftOut = isWhole ? undefined : `a gate reads no more than the first ${maxReadBytes / 1024 / 1024} MB`;
  return { name: quotedPath, parts: [text], leftOut };
}

export function kindOf(stats: Stats): string {
  if (stats.isFile()) return 'a file';
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/** Reads one byte more than needed, to show whether there is more; opening never waits, not even for a pipe. */
async function readHead(path: string): Promise<Buffer> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  await using file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  const chunks: Buffer[] = [];
  for (let left = maxReadBytes + 1; left > 0; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(left, readBytes)));
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(chunks);
}

/** Undefined for bytes that are no UTF-8; the cut of a text that is not whole may go through a character. */
function decoded(bytes: Buffer, isWhole: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return undefined;
  }
}
