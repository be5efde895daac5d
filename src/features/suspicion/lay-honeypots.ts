import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { Honeypot } from '../../score/evaluators/metrics/suspicion/suspicion-config.ts';

/** Writes them as new files: one of the user is never replaced. */
export async function layHoneypots(honeypots: readonly Honeypot[], directory: string | undefined): Promise<void> {
  for (const { path, text } of honeypots) {
    if (directory === undefined) throw unlaid(path, 'the trial has no work directory');
    if (text === undefined) continue;
    const file = join(directory, path);
    try {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: 'wx' });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw unlaid(path, code === 'EEXIST' ? 'the work directory has a file of this name' : message, error);
    }
  }
}

function unlaid(path: string, why: string, cause?: unknown): AssayError {
  return new AssayError('WORKSPACE_FAILED', `The honeypot ${path} could not be laid: ${why}.`, {
    cause,
    hint: 'Give the honeypot of `suspicion` another path, or leave its `text` out where the template has the file.',
  });
}
