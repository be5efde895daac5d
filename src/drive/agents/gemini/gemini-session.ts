import { countOf, objectOf, textOf } from '../json-shapes.ts';
import type { SessionFiles } from '../session-files.ts';

/** Gemini CLI writes each reply with its tokens into its session, and prints their sum only at its end. */
export const geminiSession: SessionFiles = {
  folder: '.gemini/tmp',
  isSession: (name) => name.startsWith('session-') && name.endsWith('.jsonl'),
  readLine(line, sum, file) {
    const id = textOf(line.id);
    if (line.type !== 'gemini' || id === undefined || line.tokens === undefined) return;
    const tokens = objectOf(line.tokens);
    sum.note(`${file} ${id}`, {
      model: textOf(line.model),
      inputTokens: countOf(tokens.input),
      outputTokens: Math.max(countOf(tokens.output), countOf(tokens.total) - countOf(tokens.input)),
      cachedInputTokens: countOf(tokens.cached),
    });
  },
};
