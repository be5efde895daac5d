import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { TrialDirectory } from './trial-directory.ts';

/** Errors of the system about a file system or a quota that is used up. */
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** As much as the records of a small trial take. */
const neededBytes = 262_144;

/** Why a trial whose agent has ended cannot be judged: its file system is full, so anything may be missing in it. */
export function fullDisk(room: TrialDirectory): AssayError | undefined {
  const file = join(room.privateFolder, 'space-left');
  try {
    writeFileSync(file, Buffer.alloc(neededBytes), { flag: 'wx' });
  } catch (error) {
    const full = asFullDisk(error, room);
    if (full instanceof AssayError) return full;
  } finally {
    rmSync(file, { force: true });
  }
  return undefined;
}

/** An error about the full file system in which a trial worked; any other error as it is. */
export function asFullDisk(error: unknown, room: TrialDirectory): unknown {
  if (!(error instanceof Error) || !fullCodes.has((error as NodeJS.ErrnoException).code)) return error;
  const base = dirname(dirname(room.folder));
  const message = `No space is left in ${base}, where the trial worked: its agent or another program filled it.`;
  return new AssayError('WORKSPACE_FAILED', message, {
    cause: error,
    hint: 'Free space there, or set TMPDIR to a folder with more space.',
  });
}
