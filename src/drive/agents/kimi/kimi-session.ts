import { countOf, objectOf } from '../json-shapes.ts';
import type { SessionFiles } from '../session-files.ts';

/** Kimi Code prints no tokens, and writes those of each request into its session, under our name for the model. */
export const kimiSession: SessionFiles = {
  folder: '.kimi-code/sessions',
  isSession: (name) => name === 'wire.jsonl',
  readLine(line, sum, file) {
    if (line.type !== 'usage.record') return;
    const usage = objectOf(line.usage);
    const cachedInputTokens = countOf(usage.inputCacheRead);
    sum.note(`${file} ${String(line.time)}`, {
      inputTokens: countOf(usage.inputOther) + cachedInputTokens + countOf(usage.inputCacheCreation),
      outputTokens: countOf(usage.output),
      cachedInputTokens,
    });
  },
};
