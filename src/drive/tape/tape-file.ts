import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { writeWhole } from '../../shared/redacted-files.ts';
import type { Redacted } from '../../shared/redaction/redacted.ts';

/** Writes a recording whole or not at all. */
export async function writeTape(folder: string, name: string, text: Redacted): Promise<void> {
  await writeWhole(join(folder, name), text).catch((error: Error) => {
    throw new AssayError('REPLAY_UNWRITABLE', `The recording ${name} cannot be written: ${error.message}.`);
  });
}

/**
 * The text of a recording; undefined when there is none. Read at once: handing a small file to another thread takes
 * five times as long as reading it.
 */
export function readTape(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadable(name, message);
  }
}

/** The content of a recording; throws where it is not as it was recorded. */
export function parseTape<Content>(name: string, text: string, schema: z.ZodType<Content>): Content {
  const parsed = schema.safeParse(jsonOf(name, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw unreadable(name, `\`${issue?.path.join('.')}\` is not as recorded: ${issue?.message}`);
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(name, error instanceof Error ? error.message : String(error));
  }
}

function unreadable(name: string, reason: string): AssayError {
  return new AssayError('REPLAY_UNREADABLE', `The recording ${name} cannot be read: ${reason}.`);
}
