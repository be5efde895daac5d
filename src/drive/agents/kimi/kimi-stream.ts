import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import type { OwnError } from '../conclude.ts';
import { concludeNarration } from '../conclude-narration.ts';
import { fieldAt } from '../field-at.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { contentText, type JsonObject, listOf, numberOf, objectOf, parseJsonObject, textOf } from '../json-shapes.ts';
import type { Narration } from '../narration.ts';
import { shellAnswer, toolAnswer } from '../shell-answer.ts';

/** Reads messages in the manner of OpenAI's chat: no usage, no exit codes, and the last error on stderr only. */
export const openKimiStream = ((emit) =>
  openJsonLines(emit, (narration) => new KimiReader(narration))) satisfies OpenAgentStream;

const shellTools = new Set(['Bash', 'Shell']);

class KimiReader implements JsonLineReader {
  readonly #narration: Narration;
  readonly #shellCalls = new Set<string>();
  /** The failure of the provider after which no message has come yet. */
  #providerError: OwnError | undefined;

  readonly handlers = {
    assistant: (line: JsonObject): void => this.#assistant(line),
    tool: (line: JsonObject): void => this.#tool(line),
    user: (): void => undefined,
    meta: (line: JsonObject): void => this.#meta(line),
  };

  constructor(narration: Narration) {
    this.#narration = narration;
  }

  kindOf(line: JsonObject): string | undefined {
    return textOf(line.role) ?? textOf(line.type);
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    const message = exit.exitCode === 0 ? undefined : /^error: (.+)$/m.exec(stderrTail)?.[1];
    const ownError = this.#providerError ?? (message ? { message } : undefined);
    return concludeNarration(this.#narration, { exit, ownError, stderrTail });
  }

  #meta(line: JsonObject): void {
    if (line.type !== 'turn.step.retrying') return;
    const message = textOf(line.error_message) ?? textOf(line.error_name) ?? 'the provider failed';
    this.#providerError = { message, status: numberOf(line.status_code), isProviders: true };
    this.#narration.notice(`the model could not be reached: ${message}`);
  }

  #assistant(line: JsonObject): void {
    this.#providerError = undefined;
    this.#narration.beginTurn();
    this.#narration.reasoning(textOf(line.reasoning_content) ?? thoughtsIn(line.content));
    this.#narration.assistant(contentText(line.content));
    for (const call of listOf(line.tool_calls)) this.#toolCall(call);
  }

  #toolCall(call: unknown): void {
    const callId = textOf(fieldAt(call, 'id')) ?? 'unknown';
    const tool = textOf(fieldAt(call, 'function', 'name')) ?? 'unknown';
    const written = fieldAt(call, 'function', 'arguments');
    const input = typeof written === 'string' ? (parseJsonObject(written) ?? written) : written;
    const command = shellTools.has(tool) ? textOf(fieldAt(input, 'command')) : undefined;
    if (command !== undefined) this.#shellCalls.add(callId);
    this.#narration.toolCall({ callId, tool, input, ...(command && { shellCommand: command }) });
  }

  #tool(line: JsonObject): void {
    const callId = textOf(line.tool_call_id) ?? 'unknown';
    const text = contentText(line.content);
    const answer = this.#shellCalls.has(callId) ? shellAnswer(text, exitCodeIn(text), false) : toolAnswer(text, false);
    this.#narration.toolResult({ callId, ...answer });
  }
}

function thoughtsIn(content: unknown): string {
  const thoughts = listOf(content).map((part) => textOf(objectOf(part).think) ?? '');
  return thoughts.join('');
}

/** It tells a code only in words, and only of a command that failed. */
function exitCodeIn(text: string): number | null {
  const told = /Command failed with exit code:? (\d{1,3})\b/.exec(text.slice(-300))?.[1];
  return told === undefined ? null : Number(told);
}
