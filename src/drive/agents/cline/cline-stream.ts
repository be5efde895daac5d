import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import { concludeNarration, type OwnError } from '../conclude.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { countOf, fieldAt, type JsonObject, listOf, numberOf, objectOf, textOf } from '../json-shapes.ts';
import { type Narration, shellAnswer, toolAnswer } from '../narration.ts';

interface ClineResults {
  readonly callId: string;
  readonly output: unknown;
  readonly durationMs: number | undefined;
  /** Of the call as a whole. */
  readonly error: string | undefined;
}

const tool = 'run_commands';

/** Tells each command of a call by itself, since each has its own result. */
function emitCommands(narration: Narration, callId: string, input: unknown): void {
  const commands = listOf(fieldAt(input, 'commands'));
  if (commands.length === 0) narration.toolCall({ callId, tool, input });
  for (const [index, command] of commands.entries()) {
    const shellCommand = commandLine(command);
    narration.toolCall({ callId: idOf(callId, index), tool, input: command, ...(shellCommand && { shellCommand }) });
  }
}

/** Tells the result of each command of a call. */
function emitResults(narration: Narration, { callId, output, durationMs, error }: ClineResults): void {
  const results = listOf(output);
  if (results.length === 0) {
    narration.toolResult({ callId, durationMs, ...shellAnswer(error ?? '', null, error !== undefined) });
  }
  for (const [index, result] of results.entries()) {
    const hasFailed = fieldAt(result, 'success') !== true;
    const text = textOf(fieldAt(result, 'result')) ?? textOf(fieldAt(result, 'error')) ?? '';
    const exitCode = hasFailed ? exitCodeIn(textOf(fieldAt(result, 'error')) ?? text) : 0;
    narration.toolResult({ callId: idOf(callId, index), durationMs, ...shellAnswer(text, exitCode, hasFailed) });
  }
}

function idOf(callId: string, index: number): string {
  return index === 0 ? callId : `${callId}#${index + 1}`;
}

function commandLine(command: unknown): string | undefined {
  if (typeof command === 'string') return command;
  const words = listOf(fieldAt(command, 'args')).filter((word) => typeof word === 'string');
  const program = textOf(fieldAt(command, 'command'));
  return program && [program, ...words].join(' ');
}

function exitCodeIn(text: string): number | null {
  const told = /exit(?:ed with)? code:? (\d{1,3})\b/i.exec(text.slice(0, 300))?.[1];
  return told === undefined ? null : Number(told);
}

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
    if (tool === 'run_commands') emitCommands(this.#narration, callId, event.input);
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
      emitResults(this.#narration, { callId, output: event.output, durationMs, error });
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
