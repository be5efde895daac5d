import { type AgentActions, actionOf } from '../actions.ts';
import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import { type AgentTrace, printedExitCode, shellAnswer, toolAnswer } from '../agent-trace.ts';
import { concludeAgent, type ReportedError } from '../conclude.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { countOf, type JsonObject, objectOf, textOf } from '../json-shapes.ts';

const shellTool = 'run_shell_command';

/** Tools of the Gemini CLI 0.61 and its predecessors; the work of sub-agents is not printed. */
export const geminiActions: AgentActions = {
  tools: {
    run_shell_command: 'shell',
    read_file: 'read',
    read_many_files: 'read',
    replace: 'edit',
    write_file: 'edit',
    glob: 'search',
    google_web_search: 'search',
    grep_search: 'search',
    list_directory: 'search',
    search_file_content: 'search',
    web_fetch: 'fetch',
    activate_skill: 'skill',
    codebase_investigator: 'delegate',
    delegate_to_agent: 'delegate',
    invoke_agent: 'delegate',
    ask_user: 'other',
    complete_task: 'other',
    enter_plan_mode: 'other',
    exit_plan_mode: 'other',
    get_internal_docs: 'other',
    list_background_processes: 'other',
    read_background_output: 'other',
    save_memory: 'other',
    update_topic: 'other',
    write_todos: 'other',
  },
  subagents: 'hidden',
};

/** Reads `init > message(delta) > tool_use > tool_result > … > result{stats}`. */
export const openGeminiStream = ((emit) =>
  openJsonLines(emit, (trace) => new GeminiReader(trace))) satisfies OpenAgentStream;

class GeminiReader implements JsonLineReader {
  readonly #trace: AgentTrace;
  readonly #shellCalls = new Set<string>();
  #messageText = '';
  #lastError: ReportedError | undefined;
  /** The failed attempt to reach its model after which nothing has come yet. */
  #providerError: ReportedError | undefined;
  #closing: JsonObject | undefined;

  readonly handlers = {
    message: (line: JsonObject): void => this.#message(line),
    tool_use: (line: JsonObject): void => this.#toolUse(line),
    tool_result: (line: JsonObject): void => this.#toolResult(line),
    error: (line: JsonObject): void => this.#error(line),
    result: (line: JsonObject): void => {
      this.#closing = line;
    },
  };

  constructor(trace: AgentTrace) {
    this.#trace = trace;
  }

  /** It retries for minutes, and reports that on stderr only. */
  errorLine(text: string): void {
    const failure = /^Attempt \d+ failed(?: with status (\d{3}))?[.:]? ?(.*)$/.exec(text);
    if (!failure) return;
    const status = failure[1] === undefined ? undefined : Number(failure[1]);
    this.#providerError = { message: text, status, isProviders: true };
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    this.#emitMessage();
    const outputTokens = emitUsage(this.#trace, objectOf(this.#closing?.stats));
    const { sawWork, turnsBegun } = this.#trace;
    const reportedError = this.#reportedError(exit);
    return concludeAgent({ exit, reportedError, sawWork: sawWork || outputTokens > 0, stderrTail, turns: turnsBegun });
  }

  #reportedError({ exitCode }: AgentExit): ReportedError | undefined {
    if (this.#closing?.status === 'success') return undefined;
    if (this.#closing) {
      const { message, type } = objectOf(this.#closing.error);
      const reason = textOf(message) ?? textOf(type) ?? this.#lastError?.message ?? 'it reported an error';
      return { message: reason, isProviders: this.#providerError?.isProviders };
    }
    const lastError = this.#providerError ?? this.#lastError;
    return lastError ?? (exitCode === 0 ? { message: 'it ended without its closing line' } : undefined);
  }

  /** Messages of the user only repeat the prompt. */
  #message(line: JsonObject): void {
    if (line.role !== 'assistant') return;
    this.#providerError = undefined;
    this.#trace.beginTurnUnlessInOne();
    if (line.delta !== true) this.#emitMessage();
    this.#messageText += textOf(line.content) ?? '';
    if (line.delta !== true) this.#emitMessage();
  }

  /** Deltas in a row are one message. */
  #emitMessage(): void {
    this.#trace.assistant(this.#messageText);
    this.#messageText = '';
  }

  #toolUse(line: JsonObject): void {
    this.#emitMessage();
    this.#providerError = undefined;
    this.#trace.beginTurnUnlessInOne();
    const callId = textOf(line.tool_id) ?? '';
    const tool = textOf(line.tool_name) ?? 'unknown';
    const input = line.parameters;
    if (tool === shellTool) this.#shellCalls.add(callId);
    const shell = tool === shellTool ? { shellCommand: textOf(objectOf(input).command) ?? '' } : {};
    this.#trace.toolCall({ callId, tool, input, ...actionOf(geminiActions, tool), ...shell });
  }

  #toolResult(line: JsonObject): void {
    this.#emitMessage();
    const callId = textOf(line.tool_id) ?? '';
    const isError = line.status === 'error';
    const output = textOf(line.output) ?? '';
    const text = isError ? (textOf(objectOf(line.error).message) ?? output) : output;
    // Success says that the tool ran; whether its command succeeded is reported as text only, if at all.
    const exitCode = printedExitCode(output) ?? printedExitCode(text);
    const isShell = this.#shellCalls.has(callId);
    const answer = isShell ? shellAnswer(text, exitCode, isError) : toolAnswer(text, isError);
    this.#trace.toolResult({ callId, ...answer });
  }

  #error(line: JsonObject): void {
    this.#emitMessage();
    const message = textOf(line.message) ?? 'it reported an error';
    this.#trace.notice(message);
    if (line.severity !== 'warning') this.#lastError = { message };
  }
}

/** Emits the usage by model, or its sum where models are not distinguished; returns the output tokens. */
function emitUsage(trace: AgentTrace, stats: JsonObject): number {
  const byModel = Object.entries(objectOf(stats.models));
  const parts = byModel.length > 0 ? byModel.map(([model, part]) => ({ model, ...countsOf(part) })) : [countsOf(stats)];
  for (const part of parts) trace.usage(part);
  return parts.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
}

/** Tokens that are in the total and in neither part are reasoning. */
function countsOf(value: unknown): {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  reasoningTokens?: number;
} {
  const stats = objectOf(value);
  const inputTokens = countOf(stats.input_tokens);
  const answered = countOf(stats.output_tokens);
  const outputTokens = Math.max(answered, countOf(stats.total_tokens) - inputTokens);
  const counts = { inputTokens, outputTokens, cachedInputTokens: countOf(stats.cached) };
  return outputTokens > answered ? { ...counts, reasoningTokens: outputTokens - answered } : counts;
}
