import { type ReportedUsage, sumOfUsage, totalTokensOf } from '../../../domain/usage.ts';
import { type AgentActions, actionOf } from '../actions.ts';
import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import { type AgentTrace, ofUsage, ofWork, printedExitCode, shellAnswer, toolAnswer } from '../agent-trace.ts';
import { concludeAgent, type ReportedError } from '../conclude.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { addUp, type JsonObject, numberOf, objectOf, textOf } from '../json-shapes.ts';

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
  readonly lineChannels = ofWork;
  readonly #trace: AgentTrace;
  readonly #shellCalls = new Set<string | undefined>();
  #calls = 0;
  /** Calls of sub-agents are counted at its end, and not printed. */
  #hasDelegated = false;
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

  isBookkeeping(kind: string): boolean {
    return kind === 'init';
  }

  /** It retries for minutes, and reports that on stderr only. */
  errorLine(text: string): void {
    const failure = /^Attempt \d+ failed(?: with status (\d{3}))?[.:]? ?(.*)$/.exec(text);
    if (!failure) return;
    const status = failure[1] === undefined ? undefined : Number(failure[1]);
    this.#providerError = { message: text, status, isProviders: true };
  }

  get isClosed(): boolean {
    return this.#closing !== undefined || this.#providerError !== undefined || this.#lastError !== undefined;
  }

  get isOver(): boolean {
    return this.#closing !== undefined;
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    this.#emitMessage();
    const stats = objectOf(this.#closing?.stats);
    const outputTokens = this.#closing ? emitUsage(this.#trace, stats) : 0;
    if (!this.#hasDelegated && Number(stats.tool_calls ?? this.#calls) > this.#calls)
      this.#trace.gap(['tool-calls', 'tool-results'], 'it made more tool calls than it reported');
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
    if (line.role === 'user') return;
    if (line.role !== 'assistant') this.#trace.gap(ofWork, `who says a message is not known: ${String(line.role)}`);
    // Its words are emitted when the message is complete.
    if (this.#closing) this.#trace.gap(['answers'], 'the agent went on after its end');
    if (line.delta !== undefined && typeof line.delta !== 'boolean')
      this.#trace.gap(['answers'], 'whether a message goes on is not known');
    if (typeof line.content !== 'string') this.#trace.gap(['answers'], 'a message of the agent has no content');
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
    const callId = textOf(line.tool_id);
    const tool = textOf(line.tool_name);
    const input = line.parameters;
    const action = actionOf(geminiActions, tool ?? '');
    this.#calls++;
    this.#hasDelegated ||= action.kind === 'delegate';
    if (tool === shellTool) this.#shellCalls.add(callId);
    const shell = tool === shellTool ? { shellCommand: textOf(objectOf(input).command) ?? '' } : {};
    this.#trace.toolCall({ callId, tool, input, ...action, ...shell });
  }

  #toolResult(line: JsonObject): void {
    this.#emitMessage();
    const callId = textOf(line.tool_id);
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
  const parts =
    byModel.length > 0
      ? byModel.map(([model, part]) => trace.usage({ model, ...geminiUsage(objectOf(part)) }))
      : [trace.usage(geminiUsage(stats))];
  const total = totalTokensOf(sumOfUsage(parts) ?? {});
  if (total !== undefined && total !== (numberOf(stats.total_tokens) ?? total))
    trace.gap(ofUsage, 'the tokens of its models do not add up to its total');
  return parts.reduce((sum, { outputTokens = 0 }) => sum + outputTokens, 0);
}

/** Tokens that are in the total and in neither part are reasoning. */
export function geminiUsage({ input_tokens, output_tokens, cached, total_tokens }: JsonObject): ReportedUsage {
  const rest = Number(total_tokens) - Number(input_tokens) - Number(output_tokens);
  const reasoningTokens = rest > 0 ? rest : undefined;
  return {
    inputTokens: input_tokens,
    cachedInputTokens: cached,
    outputTokens: addUp(output_tokens, reasoningTokens),
    reasoningTokens,
    totalTokens: total_tokens,
  };
}
