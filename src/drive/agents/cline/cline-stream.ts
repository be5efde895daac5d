import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import type { OwnError } from '../conclude.ts';
import { concludeNarration } from '../conclude-narration.ts';
import { fieldAt } from '../field-at.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { countOf, type JsonObject, numberOf, objectOf, textOf } from '../json-shapes.ts';
import type { Narration } from '../narration.ts';
import { toolAnswer } from '../shell-answer.ts';
import { tellClineCommands, tellClineResults } from './cline-commands.ts';

/** Reads `agent_event{…} > run_result`. */
export const openClineStream = ((emit) =>
  openJsonLines(emit, (narration) => new ClineReader(narration))) satisfies OpenAgentStream;

/** What the agent's own class of an error means as an answer of the provider. */
const statusByClass: ReadonlyMap<unknown, number> = new Map([
  ['auth', 401],
  ['billing', 402],
  ['quota', 402],
  ['rate_limit', 429],
  ['rateLimit', 429],
  ['network', 503],
  ['server', 503],
  ['overloaded', 503],
]);

class ClineReader implements JsonLineReader {
  readonly #narration: Narration;
  #ownError: OwnError | undefined;
  /** A failure after which it tries again, as long as nothing has come since. */
  #retriedError: OwnError | undefined;
  #toldCostUsd = 0;

  readonly handlers = {
    hook_event: (): void => undefined,
    iteration_start: (): void => this.#narration.beginTurn(),
    iteration_end: (): void => undefined,
    content_start: (line: JsonObject): void => this.#contentStart(objectOf(line.event)),
    content_update: (): void => undefined,
    content_end: (line: JsonObject): void => this.#contentEnd(objectOf(line.event)),
    usage: (line: JsonObject): void => this.#usage(objectOf(line.event)),
    error: (line: JsonObject): void => this.#error(objectOf(line.event)),
    done: (): void => undefined,
    run_result: (line: JsonObject): void => this.#runResult(line),
  };

  constructor(narration: Narration) {
    this.#narration = narration;
  }

  kindOf(line: JsonObject): string | undefined {
    return line.type === 'agent_event' ? textOf(fieldAt(line, 'event', 'type')) : textOf(line.type);
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    const ownError = this.#ownError ?? this.#retriedError;
    return concludeNarration(this.#narration, { exit, ownError, stderrTail });
  }

  #contentStart(event: JsonObject): void {
    this.#retriedError = undefined;
    if (event.contentType !== 'tool') return;
    const callId = textOf(event.toolCallId) ?? 'unknown';
    const tool = textOf(event.toolName) ?? 'unknown';
    if (tool === 'run_commands') tellClineCommands(this.#narration, callId, event.input);
    else this.#narration.toolCall({ callId, tool, input: event.input });
  }

  #contentEnd(event: JsonObject): void {
    if (event.contentType === 'text') this.#narration.assistant(textOf(event.text) ?? '');
    else if (event.contentType === 'reasoning') this.#narration.reasoning(textOf(event.reasoning ?? event.text) ?? '');
    else if (event.contentType === 'tool') this.#toolEnd(event);
  }

  #toolEnd(event: JsonObject): void {
    const callId = textOf(event.toolCallId) ?? 'unknown';
    const durationMs = numberOf(event.durationMs);
    const error = textOf(event.error) ?? textOf(fieldAt(event.error, 'message'));
    if (event.toolName === 'run_commands') {
      tellClineResults(this.#narration, { callId, output: event.output, durationMs, error });
      return;
    }
    const text = error ?? textOf(event.output) ?? JSON.stringify(event.output ?? '');
    this.#narration.toolResult({ callId, durationMs, ...toolAnswer(text, error !== undefined) });
  }

  #usage(event: JsonObject): void {
    // The cost is told as a sum; a model without a price is shown as free of charge.
    const costUsd = countOf(event.totalCost) - this.#toldCostUsd;
    this.#toldCostUsd += Math.max(0, costUsd);
    this.#narration.usage({
      inputTokens: countOf(event.inputTokens),
      outputTokens: countOf(event.outputTokens),
      cachedInputTokens: countOf(event.cacheReadTokens),
      ...(costUsd > 0 ? { costUsd } : {}),
    });
  }

  #error(event: JsonObject): void {
    const message = textOf(fieldAt(event.error, 'message')) ?? textOf(event.error) ?? 'it reported an error';
    const error = { message, status: statusByClass.get(event.errorClass) };
    if (event.recoverable === true) {
      this.#retriedError = error;
      this.#narration.notice(message);
    } else this.#ownError = error;
  }

  #runResult(line: JsonObject): void {
    this.#retriedError = undefined;
    if (line.finishReason === 'completed') this.#ownError = undefined;
    else this.#ownError ??= { message: textOf(line.text) ?? `it stopped: ${String(line.finishReason)}` };
  }
}
