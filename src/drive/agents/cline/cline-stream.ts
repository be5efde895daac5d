import type { Channel } from '../../../domain/capability.ts';
import { type ReportedUsage, sumOfUsage, type Usage } from '../../../domain/usage.ts';
import { type AgentActions, actionOf } from '../actions.ts';
import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import { type AgentTrace, ofUsage, ofWork, shellAnswer, toolAnswer } from '../agent-trace.ts';
import { concludeFromTrace, type ReportedError } from '../conclude.ts';
import { type JsonLineReader, openJsonLines, repeated } from '../json-line-stream.ts';
import { fieldAt, type JsonObject, listOf, numberOf, objectOf, textOf } from '../json-shapes.ts';

interface ClineResults {
  readonly callId: string;
  readonly output: unknown;
  readonly durationMs: number | undefined;
  /** Of the call as a whole. */
  readonly error: string | undefined;
}

const tool = 'run_commands';

/** Tools of Cline 3.0; the work of its sub-agents and teammates is not printed. */
export const clineActions: AgentActions = {
  tools: {
    run_commands: 'shell',
    read_files: 'read',
    apply_patch: 'edit',
    editor: 'edit',
    search_codebase: 'search',
    web_search: 'search',
    fetch_web_content: 'fetch',
    skills: 'skill',
    spawn_agent: 'delegate',
    team_broadcast: 'delegate',
    team_run_task: 'delegate',
    team_send_message: 'delegate',
    team_spawn_teammate: 'delegate',
    ask_question: 'other',
    submit_and_exit: 'other',
  },
  subagents: 'hidden',
};

/** Emits each command of a call separately, since each has its own result. */
function emitCommands(trace: AgentTrace, callId: string, input: unknown): void {
  const commands = listOf(fieldAt(input, 'commands'));
  const action = actionOf(clineActions, tool);
  if (commands.length === 0) trace.toolCall({ callId, tool, input, ...action });
  for (const [index, command] of commands.entries()) {
    const shellCommand = commandLine(command);
    const call = { callId: idOf(callId, index), tool, input: command, ...action };
    trace.toolCall({ ...call, ...(shellCommand && { shellCommand }) });
  }
}

function emitResults(trace: AgentTrace, { callId, output, durationMs, error }: ClineResults): void {
  const results = listOf(output);
  if (results.length === 0) {
    trace.toolResult({ callId, durationMs, ...shellAnswer(error ?? '', null, error !== undefined) });
  }
  for (const [index, result] of results.entries()) {
    const hasFailed = fieldAt(result, 'success') !== true;
    const text = textOf(fieldAt(result, 'result')) ?? textOf(fieldAt(result, 'error')) ?? '';
    const exitCode = hasFailed ? exitCodeIn(textOf(fieldAt(result, 'error')) ?? text) : 0;
    trace.toolResult({ callId: idOf(callId, index), durationMs, ...shellAnswer(text, exitCode, hasFailed) });
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
  const code = /exit(?:ed with)? code:? (\d{1,3})\b/i.exec(text.slice(0, 300))?.[1];
  return code === undefined ? null : Number(code);
}

/** Reads `agent_event{…} > run_result`. */
export const openClineStream = ((emit) =>
  openJsonLines(emit, (trace) => new ClineReader(trace))) satisfies OpenAgentStream;

/** HTTP status of the provider by the agent's own error class. */
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

const ofCalls: readonly Channel[] = ['tool-calls', 'tool-results'];

class ClineReader implements JsonLineReader {
  readonly lineChannels = ofWork;
  readonly #trace: AgentTrace;
  #reportedError: ReportedError | undefined;
  /** A failure after which it tries again, as long as nothing has come since. */
  #retriedError: ReportedError | undefined;
  #emittedCostUsd = 0;
  #tokens: Usage | undefined;
  /** Of the current iteration. */
  #calls = 0;
  #textsBegun = 0;
  #textsEnded = 0;
  isClosed = false;

  readonly handlers = {
    hook_event: repeated,
    iteration_start: (): void => this.#iterationStart(),
    iteration_end: (line: JsonObject): void => this.#iterationEnd(objectOf(line.event)),
    content_start: (line: JsonObject): void => this.#contentStart(objectOf(line.event)),
    content_update: repeated,
    content_end: (line: JsonObject): void => this.#contentEnd(objectOf(line.event)),
    usage: (line: JsonObject): void => this.#usage(objectOf(line.event)),
    error: (line: JsonObject): void => this.#error(objectOf(line.event)),
    done: repeated,
    run_result: (line: JsonObject): void => this.#runResult(line),
  };

  constructor(trace: AgentTrace) {
    this.#trace = trace;
  }

  kindOf(line: JsonObject): string | undefined {
    return line.type === 'agent_event' ? textOf(fieldAt(line, 'event', 'type')) : textOf(line.type);
  }

  /** Every line has its time, and no event comes twice in the same words at the same time. */
  idOf(line: JsonObject): string | undefined {
    return line.ts === undefined ? undefined : JSON.stringify(line);
  }

  get isOver(): boolean {
    return this.isClosed;
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    const reportedError = this.#reportedError ?? this.#retriedError;
    return concludeFromTrace(this.#trace, { exit, reportedError, stderrTail });
  }

  #iterationStart(): void {
    this.#trace.beginTurn();
    this.#calls = 0;
  }

  #iterationEnd({ toolCallCount }: JsonObject): void {
    if (typeof toolCallCount === 'number' && toolCallCount !== this.#calls)
      this.#trace.gap(ofCalls, 'an iteration had another number of tool calls than were reported');
  }

  #contentStart(event: JsonObject): void {
    this.#retriedError = undefined;
    if (event.contentType === 'text')
      this.#trace.announce(`text ${++this.#textsBegun}`, ['answers'], 'a message of the agent has no end');
    if (event.contentType !== 'tool') return;
    this.#calls++;
    const callId = textOf(event.toolCallId);
    const tool = textOf(event.toolName);
    if (tool === 'run_commands' && callId !== undefined) emitCommands(this.#trace, callId, event.input);
    else this.#trace.toolCall({ callId, tool, input: event.input, ...actionOf(clineActions, tool ?? '') });
  }

  #contentEnd(event: JsonObject): void {
    if (event.contentType === 'text') {
      this.#trace.arrived(`text ${++this.#textsEnded}`);
      this.#trace.assistant(textOf(event.text));
    } else if (event.contentType === 'reasoning') this.#trace.reasoning(textOf(event.reasoning ?? event.text) ?? '');
    else if (event.contentType === 'tool') this.#toolEnd(event);
    else this.#trace.unknown(`content/${String(event.contentType)}`, event);
  }

  #toolEnd(event: JsonObject): void {
    const callId = textOf(event.toolCallId);
    const durationMs = numberOf(event.durationMs);
    const error = textOf(event.error) ?? textOf(fieldAt(event.error, 'message'));
    if (event.toolName === 'run_commands' && callId !== undefined) {
      emitResults(this.#trace, { callId, output: event.output, durationMs, error });
      return;
    }
    const text = error ?? textOf(event.output) ?? JSON.stringify(event.output ?? '');
    this.#trace.toolResult({ callId, durationMs, ...toolAnswer(text, error !== undefined) });
  }

  /** Each line has the tokens of one request, and the sums so far; a model without a price has the cost 0. */
  #usage(event: JsonObject): void {
    const costUsd = (numberOf(event.totalCost) ?? 0) - this.#emittedCostUsd;
    this.#emittedCostUsd += Math.max(0, costUsd);
    const usage = this.#trace.usage({ ...tokensIn(event), costUsd });
    this.#tokens = sumOfUsage([...(this.#tokens ? [this.#tokens] : []), usage]);
    this.#compare(event.totalInputTokens, event.totalOutputTokens);
  }

  #compare(input: unknown, output: unknown): void {
    const { inputTokens = 0, outputTokens = 0 } = this.#tokens ?? {};
    if ((input ?? inputTokens) !== inputTokens || (output ?? outputTokens) !== outputTokens)
      this.#trace.gap(ofUsage, 'its requests do not add up to its total of tokens');
  }

  #error(event: JsonObject): void {
    const message = textOf(fieldAt(event.error, 'message')) ?? textOf(event.error) ?? 'it reported an error';
    const error = { message, status: statusByClass.get(event.errorClass) };
    if (event.recoverable === true) {
      this.#retriedError = error;
      this.#trace.notice(message);
    } else this.#reportedError = error;
  }

  #runResult(line: JsonObject): void {
    const usage = objectOf(line.usage);
    this.isClosed = true;
    this.#compare(usage.inputTokens, usage.outputTokens);
    this.#retriedError = undefined;
    if (line.finishReason === 'completed') this.#reportedError = undefined;
    else this.#reportedError ??= { message: textOf(line.text) ?? `it stopped: ${String(line.finishReason)}` };
  }
}

function tokensIn(event: JsonObject): ReportedUsage {
  return {
    inputTokens: event.inputTokens,
    cachedInputTokens: event.cacheReadTokens,
    cacheWriteInputTokens: event.cacheWriteTokens,
    outputTokens: event.outputTokens,
  };
}
