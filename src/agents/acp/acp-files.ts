import { lstat, mkdir, open, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fieldAt } from '../field-at.ts';
import { numberOf, textOf } from '../json-shapes.ts';
import { RpcError } from './json-rpc-peer.ts';

/** No file that an agent edits as text is larger. */
const largestFileBytes = 10_000_000;

const invalidParams = -32_602;

/** Answers `fs/read_text_file`; only files of the work directory are read. */
export async function readTextFile(params: unknown, workDirectory: string): Promise<{ content: string }> {
  const path = await pathInside(textOf(fieldAt(params, 'path')), workDirectory);
  await using file = await opened(path);
  const { size } = await file.stat();
  if (size > largestFileBytes) throw new RpcError(invalidParams, `${path} is too large: ${size} bytes`);
  const content = await file.readFile('utf8');
  const from = Math.max(1, numberOf(fieldAt(params, 'line')) ?? 1) - 1;
  const limit = numberOf(fieldAt(params, 'limit'));
  if (from === 0 && limit === undefined) return { content };
  return {
    content: content
      .split('\n')
      .slice(from, limit === undefined ? undefined : from + limit)
      .join('\n'),
  };
}

/** Answers `fs/write_text_file`; only files of the work directory are written. */
export async function writeTextFile(params: unknown, workDirectory: string): Promise<object> {
  const content = fieldAt(params, 'content');
  if (typeof content !== 'string') throw new RpcError(invalidParams, 'content must be a text');
  const path = await pathInside(textOf(fieldAt(params, 'path')), workDirectory);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return {};
}

async function opened(path: string): Promise<Awaited<ReturnType<typeof open>>> {
  try {
    return await open(path, 'r');
  } catch {
    throw new RpcError(-32_002, `there is no file ${path}`);
  }
}

/** The real path of a file that may not exist yet, once every link on the way to it has been followed. */
async function pathInside(path: string | undefined, workDirectory: string): Promise<string> {
  if (path === undefined || !isAbsolute(path)) throw new RpcError(invalidParams, 'path must be absolute');
  const real = await realPathOf(join(path));
  const fromRoot = relative(await realpath(workDirectory), real);
  if (fromRoot === '..' || fromRoot.startsWith(`..${sep}`) || isAbsolute(fromRoot)) {
    throw new RpcError(invalidParams, `${path} is outside of the work directory`);
  }
  return real;
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // Writing through a link that leads nowhere would make a file wherever it points to.
    if (await isThere(path)) throw new RpcError(invalidParams, `${path} cannot be followed`);
    const parent = dirname(path);
    return parent === path ? path : join(await realPathOf(parent), basename(path));
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
