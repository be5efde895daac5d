import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { judgeAnswerSchema } from '../domain/judge-result.ts';
import type { JudgeCache } from '../score/judge/judge.ts';

/** Keeps verdicts as one file each; a file that cannot be read is as good as none. */
export function judgeCacheIn(folder: string): JudgeCache {
  const fileOf = (key: string): string => join(folder, key.slice(0, 2), `${key}.json`);
  return {
    async read(key) {
      const text = await readFile(fileOf(key), 'utf8').catch(() => undefined);
      const parsed = text === undefined ? undefined : judgeAnswerSchema.safeParse(parseJson(text));
      return parsed?.data;
    },
    async write(key, answer) {
      const file = fileOf(key);
      // Unique, because trials that are alike are judged at the same time.
      const unfinished = `${file}.${randomUUID()}.tmp`;
      await mkdir(join(folder, key.slice(0, 2)), { recursive: true });
      await writeFile(unfinished, JSON.stringify(answer));
      await rename(unfinished, file);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
