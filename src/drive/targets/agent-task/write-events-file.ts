import { writeFile } from 'node:fs/promises';
import { eventLines } from '../../../domain/events-jsonl/events-jsonl.ts';
import type { Trace } from '../../../domain/trace.ts';
import { type Redact, redactDeep } from '../../../shared/redaction/redaction.ts';

/** Writes what has happened so far, for the scripts that look at it; a folder that the agent took away stays away. */
export async function writeEventsFile(file: string, trace: Trace, startedAt: number, redact: Redact): Promise<void> {
  const lines = Array.from(eventLines(redactDeep(trace, redact), startedAt), (line) => `${JSON.stringify(line)}\n`);
  await writeFile(file, lines.join('')).catch(() => undefined);
}
