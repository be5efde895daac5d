import type { EmitTrace } from '../../../domain/trace.ts';
import type { NoteUsage, OpenAgentStream } from '../agent.ts';
import { openJsonLines } from '../json-line-stream.ts';
import { countOf, objectOf, textOf } from '../json-shapes.ts';
import type { MessagesDialect } from '../messages/messages-dialect.ts';
import { MessagesReader } from '../messages/messages-reader.ts';

const claudeDialect: MessagesDialect = {
  shellTool: 'Bash',

  exitCodeOf({ text, isError, details }) {
    const failed = /^(?:Error: )?Exit code (\d{1,3})\b/.exec(text)?.[1];
    if (isError) return failed === undefined ? null : Number(failed);
    // Some codes other than 0, such as that of a search without a match, are told in words and not as an error.
    const isUnknown =
      details.interrupted === true ||
      textOf(details.returnCodeInterpretation) !== undefined ||
      textOf(details.backgroundTaskId) !== undefined;
    return isUnknown ? null : 0;
  },

  countsOf(usage) {
    const cachedInputTokens = countOf(usage.cache_read_input_tokens);
    return {
      inputTokens: countOf(usage.input_tokens) + countOf(usage.cache_creation_input_tokens) + cachedInputTokens,
      cachedInputTokens,
      outputTokens: countOf(usage.output_tokens),
      reasoningTokens: countOf(objectOf(usage.output_tokens_details).thinking_tokens),
    };
  },

  isProviderError(line) {
    const isSynthetic = objectOf(line.message).model === '<synthetic>';
    return line.is_api_error_message === true || (isSynthetic && line.error !== undefined);
  },
};

/** Reads what Claude Code prints. */
export const openClaudeStream = ((emit: EmitTrace, noteUsage?: NoteUsage) =>
  openJsonLines(
    emit,
    (narration) => new MessagesReader(narration, claudeDialect, noteUsage),
  )) satisfies OpenAgentStream;
