import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import type { OwnError } from '../conclude.ts';
import { concludeNarration } from '../conclude-narration.ts';
import { fieldAt } from '../field-at.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { contentText, countOf, type JsonObject, listOf, objectOf, textOf } from '../json-shapes.ts';
import type { Narration } from '../narration.ts';
import { shellAnswer, toolAnswer } from '../shell-answer.ts';

/** Reads `session > agent_start > turn_start > message_* > tool_execution_* > turn_end > agent_end`. */
export const openPiStream = ((emit) =>
  openJsonLines(emit, (narration) => new PiReader(narration))) satisfies OpenAgentStream;

/** What the whole messages and results tell again, or before. */
function repeated(): void {}

class PiReader implements JsonLineReader {
  readonly #narration: Narration;
  /** Of the last message: it exits with 0 all the same. */
  #ownError: OwnError | undefined;

  readonly handlers = {
    session: repeated,
    agent_start: repeated,
    turn_start: (): void => this.#narration.beginTurn(),
    message_start: repeated,
    message_update: repeated,
    message_end: (line: JsonObject): void => this.#messageEnd(objectOf(line.message)),
    tool_execution_start: (line: JsonObject): void => this.#toolStart(line),
    tool_execution_update: repeated,
    tool_execution_end: (line: JsonObject): void => this.#toolEnd(line),
    turn_end: repeated,
    agent_end: repeated,
    agent_settled: repeated,
  };

  constructor(narration: Narration) {
    this.#narration = narration;
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    return concludeNarration(this.#narration, { exit, ownError: this.#ownError, stderrTail });
  }

  #messageEnd(message: JsonObject): void {
    if (message.role !== 'assistant') return;
    for (const part of listOf(message.content).map(objectOf)) {
      if (part.type === 'text') this.#narration.assistant(textOf(part.text) ?? '');
      else if (part.type === 'thinking') this.#narration.reasoning(textOf(part.thinking) ?? '');
    }
    const hasFailed = message.stopReason === 'error' || message.stopReason === 'aborted';
    this.#ownError = hasFailed ? errorOf(message) : undefined;
    this.#usage(objectOf(message.usage), textOf(message.model));
  }

  #usage(usage: JsonObject, model: string | undefined): void {
    const cachedInputTokens = countOf(usage.cacheRead);
    const reasoningTokens = countOf(usage.reasoning);
    const costUsd = countOf(fieldAt(usage.cost, 'total'));
    this.#narration.usage({
      ...(model && { model }),
      inputTokens: countOf(usage.input) + cachedInputTokens + countOf(usage.cacheWrite),
      outputTokens: countOf(usage.output),
      cachedInputTokens,
      ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
      // A model without a price is shown as free of charge.
      ...(costUsd > 0 ? { costUsd } : {}),
    });
  }

  #toolStart(line: JsonObject): void {
    const tool = textOf(line.toolName) ?? 'unknown';
    const command = tool === 'bash' ? textOf(fieldAt(line.args, 'command')) : undefined;
    const callId = textOf(line.toolCallId) ?? 'unknown';
    this.#narration.toolCall({ callId, tool, input: line.args, ...(command && { shellCommand: command }) });
  }

  #toolEnd(line: JsonObject): void {
    const callId = textOf(line.toolCallId) ?? 'unknown';
    const isError = line.isError === true;
    const text = contentText(fieldAt(line.result, 'content'));
    const answer =
      line.toolName === 'bash' ? shellAnswer(text, exitCodeOf(text, isError), isError) : toolAnswer(text, isError);
    this.#narration.toolResult({ callId, ...answer });
  }
}

/** It adds the code to the output of a command that failed; one that was stopped has none. */
function exitCodeOf(text: string, isError: boolean): number | null {
  if (!isError) return 0;
  const told = /Command exited with code (\d{1,3})\s*$/.exec(text.slice(-100))?.[1];
  return told === undefined ? null : Number(told);
}

/** The provider's status is the first word of what it says. */
function errorOf(message: JsonObject): OwnError {
  const said = textOf(message.errorMessage) ?? `it stopped: ${String(message.stopReason)}`;
  const status = /^([45]\d\d)\b/.exec(said)?.[1];
  return { message: said, status: status === undefined ? undefined : Number(status) };
}
