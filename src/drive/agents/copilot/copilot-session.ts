import { fieldAt } from '../field-at.ts';
import { countOf, objectOf, textOf } from '../json-shapes.ts';
import type { SessionFiles } from '../session-files.ts';

/** Copilot prints no tokens where it has no account, and writes those of each request into its session. */
export const copilotSession: SessionFiles = {
  folder: '.copilot/session-state',
  isSession: (name) => name === 'events.jsonl',
  readLine(line, sum, file) {
    if (line.type !== 'session.usage_record') return;
    const usage = objectOf(fieldAt(line, 'data', 'usage'));
    const id = textOf(usage.apiCallId) ?? textOf(line.id) ?? String(line.timestamp);
    sum.note(`${file} ${id}`, {
      model: textOf(usage.model),
      inputTokens: countOf(usage.inputTokens),
      outputTokens: countOf(usage.outputTokens),
      cachedInputTokens: countOf(usage.cacheReadTokens),
    });
  },
};
