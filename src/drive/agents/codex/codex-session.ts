import { fieldAt } from '../field-at.ts';
import { countOf, objectOf } from '../json-shapes.ts';
import type { SessionFiles } from '../session-files.ts';

/** Codex writes the sum of its tokens into its session after each request, and prints it only at its end. */
export const codexSession: SessionFiles = {
  folder: '.codex/sessions',
  isSession: (name) => name.startsWith('rollout-') && name.endsWith('.jsonl'),
  readLine(line, sum, file) {
    const total = objectOf(fieldAt(line, 'payload', 'info', 'total_token_usage'));
    if (fieldAt(line, 'payload', 'type') !== 'token_count' || total.input_tokens === undefined) return;
    sum.note(file, {
      inputTokens: countOf(total.input_tokens),
      outputTokens: countOf(total.output_tokens),
      cachedInputTokens: countOf(total.cached_input_tokens),
    });
  },
};
