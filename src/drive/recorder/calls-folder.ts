import { closeSync, constants, type Dir, fstatSync, lstatSync, opendirSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Reported } from './call-log.ts';
import { type CallBytes, type CallEnd, type CallStart, parseCallEnd, parseCallStart } from './call-record.ts';

/** The beginning of a file. */
interface FileBeginning {
  readonly bytes: Buffer;
  readonly bytesLeftOut: number;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

/** Reads a file that another process may have replaced; undefined when it is gone or not a plain file. */
function readPlainFile(path: string, limitBytes: number): FileBeginning | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(stat.size, limitBytes));
    const bytesRead = readSync(file, bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, bytesRead), bytesLeftOut: stat.size - bytesRead, writtenAt: stat.mtimeMs };
  } finally {
    closeSync(file);
  }
}

/** 64 KB of arguments, and the folder that the call was made in. */
const startLimitBytes = (64 + 4) * 1024;
/** Twice the head and the tail of two streams, because a byte may take two. */
const endLimitBytes = (2 * 2 * 8 + 4) * 1024;
/** A process that fills the folder must not fill our memory. */
const listLimit = 50_000;

const fileName = /^([\w-]{1,100})\.([se])$/;

interface Listing {
  readonly calls: readonly string[];
  /** How many files belong to no call. */
  readonly strangers: number;
  readonly isWhole: boolean;
}

/** The folder that shims write to: a file when the tool is called, and another one when it has ended. */
export class CallsFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The call whose end a file records; undefined for any other file. */
  static endedCall(name: string): string | undefined {
    const [, call, part] = fileName.exec(name) ?? [];
    return part === 'e' ? call : undefined;
  }

  start(call: string): Reported<CallStart> | undefined {
    return read(join(this.#path, `${call}.s`), startLimitBytes, parseCallStart);
  }

  end(call: string): Reported<CallEnd> | undefined {
    return read(join(this.#path, `${call}.e`), endLimitBytes, parseCallEnd);
  }

  /** To be called only for files that were read: others may not belong to the recorder. */
  forget(call: string): void {
    for (const part of ['s', 'e']) rmSync(join(this.#path, `${call}.${part}`), { force: true });
  }

  list(): Listing {
    const folder = openFolder(this.#path);
    if (folder === undefined) return { calls: [], strangers: 0, isWhole: false };
    try {
      return listed(folder);
    } finally {
      folder.closeSync();
    }
  }
}

/** Undefined when it is gone, or a link to another place. */
function openFolder(path: string): Dir | undefined {
  try {
    return lstatSync(path).isDirectory() ? opendirSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function listed(folder: Dir): Listing {
  const calls = new Set<string>();
  let strangers = 0;
  for (let count = 0; count < listLimit; count++) {
    const entry = folder.readSync();
    if (entry === null) return { calls: [...calls], strangers, isWhole: true };
    const call = fileName.exec(entry.name)?.[1];
    if (call === undefined) strangers++;
    else calls.add(call);
  }
  return { calls: [...calls], strangers, isWhole: false };
}

function read<Content>(
  path: string,
  limitBytes: number,
  parse: (bytes: CallBytes) => Content | undefined,
): Reported<Content> | undefined {
  const file = readPlainFile(path, limitBytes);
  const content = file && parse(file);
  if (file === undefined || content === undefined) return undefined;
  return { content, at: file.writtenAt, isCut: file.bytesLeftOut > 0 };
}
