import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { judgeAnswerSchema } from '../../domain/judge-result.ts';
import type { JudgeCache } from '../../score/judge/judge.ts';
import { parseJson } from '../../shared/json.ts';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { writeWhole } from '../../shared/redacted-files.ts';
import { type Redact, redactedJson } from '../../shared/redaction/redaction.ts';

const keptSchema = lazySchema(() => z.object({ runId: z.string(), answer: judgeAnswerSchema }));

/** Keeps verdicts, one file each, with the run that they were given in; an unreadable file counts as missing. */
export function verdictsIn(folder: string, redact: Redact): JudgeCache {
  const fileOf = (key: string): string => join(folder, key.slice(0, 2), `${key}.json`);
  return {
    async read(key, runId) {
      const text = await readFile(fileOf(key), 'utf8').catch(() => undefined);
      const kept = text === undefined ? undefined : keptSchema.safeParse(parseJson(text)).data;
      return kept?.runId === runId ? undefined : kept?.answer;
    },
    async write(key, runId, answer) {
      await writeWhole(fileOf(key), redactedJson({ runId, answer }, redact));
    },
  };
}
