import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** The beginning of a file. */
export interface FileBeginning {
  readonly bytes: Buffer;
  readonly bytesLeftOut: number;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

/** Reads a file that somebody else may have replaced by anything; undefined when it is gone or no plain file. */
export function readPlainFile(path: string, limitBytes: number): FileBeginning | undefined {
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
