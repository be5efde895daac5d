import { closeSync, constants, openSync, readFileSync } from 'node:fs';

/** Opening must neither follow a link that has taken the file's place nor wait for a pipe that has. */
const asItIs = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The content of a small file; undefined when it cannot be read. */
export function readFileBytes(file: Buffer): Buffer | undefined {
  let opened: number | undefined;
  try {
    opened = openSync(file, asItIs);
    return readFileSync(opened);
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
