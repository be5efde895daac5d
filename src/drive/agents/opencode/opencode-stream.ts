import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import type { OwnError } from '../conclude.ts';
import { concludeNarration } from '../conclude-narration.ts';
import { fieldAt } from '../field-at.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { countOf, type JsonObject, numberOf, objectOf, textOf } from '../json-shapes.ts';
import type { Narration } from '../narration.ts';
import { shellAnswer, toolAnswer } from '../shell-answer.ts';

/** Reads `step_start > text > tool_use > step_finish`; there is no closing line. */
export const openOpencodeStream = ((emit) =>
  openJsonLines(emit, (narration) => new OpencodeReader(narration))) satisfies OpenAgentStream;

class OpencodeReader implements JsonLineReader {
  readonly #narration: Narration;
  /** The last error, as long as no further step has shown that it was got over. */
  #ownError: OwnError | undefined;

  readonly handlers = {
    step_start: (): void => {
      this.#ownError = undefined;
      this.#narration.beginTurn();
    },
    text: (line: JsonObject): void => this.#narration.assistant(textOf(fieldAt(line, 'part', 'text')) ?? ''),
    reasoning: (line: JsonObject): void => this.#narration.reasoning(textOf(fieldAt(line, 'part', 'text')) ?? ''),
    tool_use: (line: JsonObject): void => this.#toolUse(objectOf(line.part)),
    step_finish: (line: JsonObject): void => this.#stepFinish(objectOf(line.part)),
    error: (line: JsonObject): void => {
      this.#ownError = errorOf(objectOf(line.error));
    },
  };

  constructor(narration: Narration) {
    this.#narration = narration;
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    return concludeNarration(this.#narration, { exit, ownError: this.#ownError, stderrTail });
  }

  /** A tool is told once, when it has ended. */
  #toolUse(part: JsonObject): void {
    const state = objectOf(part.state);
    const callId = textOf(part.callID) ?? textOf(part.id) ?? 'unknown';
    const tool = textOf(part.tool) ?? 'unknown';
    const command = tool === 'bash' ? textOf(fieldAt(state.input, 'command')) : undefined;
    this.#narration.toolCall({ callId, tool, input: state.input, ...(command && { shellCommand: command }) });
    const isError = state.status === 'error';
    const text = (isError ? textOf(state.error) : textOf(state.output)) ?? '';
    const exitCode = numberOf(fieldAt(state.metadata, 'exit')) ?? null;
    const answer = tool === 'bash' ? shellAnswer(text, exitCode, isError) : toolAnswer(text, isError);
    this.#narration.toolResult({ callId, durationMs: durationOf(state.time), ...answer });
  }

  #stepFinish(part: JsonObject): void {
    const tokens = objectOf(part.tokens);
    const cachedInputTokens = countOf(fieldAt(tokens.cache, 'read'));
    const inputTokens = countOf(tokens.input) + cachedInputTokens + countOf(fieldAt(tokens.cache, 'write'));
    const reasoningTokens = countOf(tokens.reasoning);
    const costUsd = countOf(part.cost);
    this.#narration.usage({
      inputTokens,
      // Whether reasoning is part of the output differs by version; the total always has it.
      outputTokens: Math.max(countOf(tokens.output), countOf(tokens.total) - inputTokens),
      cachedInputTokens,
      ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
      // A model without a price is shown as free of charge.
      ...(costUsd > 0 ? { costUsd } : {}),
    });
  }
}

function durationOf(time: unknown): number | undefined {
  const start = numberOf(fieldAt(time, 'start'));
  const end = numberOf(fieldAt(time, 'end'));
  return start === undefined || end === undefined ? undefined : Math.max(0, end - start);
}

function errorOf(error: JsonObject): OwnError {
  const message = textOf(fieldAt(error.data, 'message')) ?? textOf(error.message) ?? textOf(error.name);
  return { message: message ?? 'it reported an error', status: numberOf(fieldAt(error.data, 'statusCode')) };
}
