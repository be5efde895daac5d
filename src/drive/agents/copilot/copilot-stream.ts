import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import type { OwnError } from '../conclude.ts';
import { concludeNarration } from '../conclude-narration.ts';
import { fieldAt } from '../field-at.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { countOf, type JsonObject, numberOf, objectOf, textOf } from '../json-shapes.ts';
import type { Narration } from '../narration.ts';
import { shellAnswer, toolAnswer } from '../shell-answer.ts';

/** Reads `session.* > assistant.turn_start > assistant.message > tool.execution_* > … > result`. */
export const openCopilotStream = ((emit) =>
  openJsonLines(emit, (narration) => new CopilotReader(narration))) satisfies OpenAgentStream;

const shellTools = new Set<unknown>(['bash', 'powershell', 'shell', 'local_shell']);

class CopilotReader implements JsonLineReader {
  readonly #narration: Narration;
  readonly #shellCalls = new Set<string>();
  /** The last failure, as long as no later message has shown that it was got over. */
  #ownError: OwnError | undefined;
  #closingExitCode: number | undefined;

  readonly handlers = {
    'user.message': (): void => undefined,
    'assistant.turn_start': (): void => this.#narration.beginTurn(),
    'assistant.turn_end': (): void => undefined,
    'assistant.message': (line: JsonObject): void => this.#message(objectOf(line.data)),
    'assistant.reasoning': (line: JsonObject): void =>
      this.#narration.reasoning(textOf(fieldAt(line, 'data', 'content')) ?? ''),
    'assistant.usage': (line: JsonObject): void => this.#usage(objectOf(line.data)),
    'tool.execution_start': (line: JsonObject): void => this.#toolStart(objectOf(line.data)),
    'tool.execution_complete': (line: JsonObject): void => this.#toolEnd(objectOf(line.data)),
    'model.call_failure': (line: JsonObject): void => this.#failure(fieldAt(line, 'data', 'errorMessage'), line, true),
    'session.error': (line: JsonObject): void => this.#failure(fieldAt(line, 'data', 'message'), line),
    result: (line: JsonObject): void => {
      this.#closingExitCode = numberOf(line.exitCode);
    },
    passing: (): void => undefined,
  };

  constructor(narration: Narration) {
    this.#narration = narration;
  }

  /** Most events are marked as passing by the agent itself: parts of messages, and what its window shows. */
  kindOf(line: JsonObject): string | undefined {
    const kind = textOf(line.type);
    if (kind !== undefined && Object.hasOwn(this.handlers, kind)) return kind;
    return line.ephemeral === true ? 'passing' : kind;
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    const code = this.#closingExitCode ?? 0;
    const closing = code === 0 ? undefined : { message: `it reports exit code ${code}` };
    return concludeNarration(this.#narration, { exit, ownError: this.#ownError ?? closing, stderrTail });
  }

  #failure(message: unknown, line: JsonObject, isProviders = this.#ownError?.isProviders): void {
    const status = numberOf(fieldAt(line, 'data', 'statusCode'));
    this.#ownError = { message: textOf(message) ?? 'it reported an error', status, isProviders };
  }

  #message(data: JsonObject): void {
    this.#ownError = undefined;
    this.#narration.reasoning(textOf(data.reasoningText) ?? '');
    this.#narration.assistant(textOf(data.content) ?? '');
  }

  #usage(data: JsonObject): void {
    const model = textOf(data.model);
    this.#narration.usage({
      ...(model && { model }),
      inputTokens: countOf(data.inputTokens),
      outputTokens: countOf(data.outputTokens),
      cachedInputTokens: countOf(data.cacheReadTokens),
    });
  }

  #toolStart(data: JsonObject): void {
    const callId = textOf(data.toolCallId) ?? 'unknown';
    const call = { callId, tool: textOf(data.toolName) ?? 'unknown', input: data.arguments };
    const command = shellTools.has(data.toolName) ? textOf(fieldAt(data.arguments, 'command')) : undefined;
    if (command !== undefined) this.#shellCalls.add(callId);
    this.#narration.toolCall({ ...call, ...(command && { shellCommand: command }) });
  }

  #toolEnd(data: JsonObject): void {
    const callId = textOf(data.toolCallId) ?? 'unknown';
    const isError = data.success === false;
    const text = textOf(fieldAt(data.result, 'content')) ?? textOf(fieldAt(data.error, 'message')) ?? '';
    const exitCode = numberOf(fieldAt(data.shellExecution, 'exitCode')) ?? exitCodeIn(text);
    const answer = this.#shellCalls.has(callId) ? shellAnswer(text, exitCode, isError) : toolAnswer(text, isError);
    this.#narration.toolResult({ callId, ...answer });
  }
}

function exitCodeIn(text: string): number | null {
  const told = /<(?:shellId: \S+ completed|exited) with exit code (\d{1,3})>\s*$/.exec(text.slice(-100))?.[1];
  return told === undefined ? null : Number(told);
}
