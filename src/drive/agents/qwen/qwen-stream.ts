import type { EmitTrace } from '../../../domain/trace.ts';
import type { NoteUsage, OpenAgentStream } from '../agent.ts';
import { openJsonLines } from '../json-line-stream.ts';
import { countOf } from '../json-shapes.ts';
import type { MessagesDialect } from '../messages/messages-dialect.ts';
import { MessagesReader } from '../messages/messages-reader.ts';
import { toldExitCode } from '../told-exit-code.ts';

const qwenDialect: MessagesDialect = {
  shellTool: 'run_shell_command',

  /** A command that fails is no error of the tool, so that only words in the output can tell. */
  exitCodeOf: ({ text }) => toldExitCode(text),

  /** Its input tokens include those from the cache already. */
  countsOf: (usage) => ({
    inputTokens: countOf(usage.input_tokens),
    cachedInputTokens: countOf(usage.cache_read_input_tokens),
    outputTokens: countOf(usage.output_tokens),
    reasoningTokens: 0,
  }),

  isProviderError: (_line, text) => text.startsWith('[API Error: '),
};

/** Reads what Qwen Code prints. */
export const openQwenStream = ((emit: EmitTrace, noteUsage?: NoteUsage) =>
  openJsonLines(emit, (narration) => new MessagesReader(narration, qwenDialect, noteUsage))) satisfies OpenAgentStream;
