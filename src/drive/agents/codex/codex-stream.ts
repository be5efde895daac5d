import type { ReportedUsage } from '../../../domain/usage.ts';
import { type AgentActions, actionOf } from '../actions.ts';
import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import { type AgentTrace, ofWork, shellAnswer } from '../agent-trace.ts';
import { concludeAgent, type ReportedError } from '../conclude.ts';
import { type JsonLineReader, openJsonLines, repeated } from '../json-line-stream.ts';
import { fieldAt, type JsonObject, numberOf, objectOf, textOf } from '../json-shapes.ts';

const shellStart = /^(?:\S*\/)?(?:ba|z|da|k|a)?sh -l?c /;

/** The command that a shell is started for: `ls -a` of `/bin/bash -lc 'ls -a'`; anything else as it is. */
export function innerCommand(command: string): string {
  const start = shellStart.exec(command)?.[0];
  return start === undefined ? command : (onlyWord(command.slice(start.length)) ?? command);
}

/** The value of a text that is one word for a shell, whatever way it is quoted. */
function onlyWord(text: string): string | undefined {
  const part = /'([^']*)'|"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|\\([\s\S])|([^\s'"\\|&;<>()$`]+)/y;
  let word = '';
  while (part.lastIndex < text.length) {
    const found = part.exec(text);
    if (!found) return undefined;
    const [, single, double, escaped, bare] = found;
    word += single ?? double?.replace(/\\([$`"\\\n])/g, '$1') ?? escaped ?? bare ?? '';
  }
  return text === '' ? undefined : word;
}

/** Items of Codex 0.166 by the names that the reader gives their tools. It reads files and skills through its shell. */
export const codexActions: AgentActions = {
  tools: {
    shell: 'shell',
    apply_patch: 'edit',
    web_search: 'search',
    resume_agent: 'delegate',
    send_input: 'delegate',
    spawn_agent: 'delegate',
    close_agent: 'other',
    wait_agent: 'other',
    wait: 'other',
  },
  subagents: 'hidden',
};

/** Reads `thread.started > turn.started > item.started|completed > … > turn.completed{usage}|turn.failed`. */
export const openCodexStream = ((emit) =>
  openJsonLines(emit, (trace) => new CodexReader(trace))) satisfies OpenAgentStream;

const statuses: ReadonlySet<unknown> = new Set([undefined, 'in_progress', 'completed', 'failed', 'declined']);

class CodexReader implements JsonLineReader {
  readonly lineChannels = ofWork;
  readonly #trace: AgentTrace;
  #lastError: ReportedError | undefined;
  #closing: JsonObject | undefined;
  #nextItem = 0;
  /** Calls that a later line repeats. */
  readonly #begun = new Set<string>();

  readonly handlers = {
    'item.started': (line: JsonObject): void => this.#item(objectOf(line.item), false),
    'item.completed': (line: JsonObject): void => this.#item(objectOf(line.item), true),
    // Between its start and its end an item only shows more of its output.
    'item.updated': repeated,
    'turn.completed': (line: JsonObject): void => {
      this.#closing = line;
      this.#lastError = undefined;
    },
    'turn.failed': (line: JsonObject): void => {
      const message = textOf(objectOf(line.error).message) ?? 'the turn failed';
      this.#lastError = { message, isProviders: this.#lastError?.isProviders };
    },
    error: (line: JsonObject): void => this.#error(line),
  };

  readonly #itemHandlers: ReadonlyMap<string, (item: JsonObject, isOver: boolean) => void> = new Map([
    ['agent_message', (item, isOver) => isOver && this.#trace.assistant(textOf(item.text))],
    ['reasoning', (item, isOver) => isOver && this.#trace.reasoning(textOf(item.text) ?? '')],
    ['command_execution', (item, isOver) => this.#command(item, isOver)],
    ['mcp_tool_call', (item, isOver) => this.#mcpCall(item, isOver)],
    ['file_change', (item, isOver) => this.#otherCall(item, isOver, 'apply_patch', { changes: item.changes })],
    ['collab_tool_call', (item, isOver) => this.#otherCall(item, isOver, collabTool(item), { prompt: item.prompt })],
    ['web_search', (item, isOver) => this.#otherCall(item, isOver, 'web_search', { query: item.query })],
    ['todo_list', (item, isOver) => isOver && this.#trace.other('item/todo_list', item)],
    ['plan', (item, isOver) => isOver && this.#trace.other('item/plan', item)],
    ['error', (item) => this.#trace.notice(textOf(item.message) ?? 'it reported an error')],
  ]);

  constructor(trace: AgentTrace) {
    this.#trace = trace;
  }

  isBookkeeping(kind: string): boolean {
    return kind === 'thread.started' || kind === 'turn.started' || kind === 'item.plan.delta';
  }

  idOf(line: JsonObject): string | undefined {
    const id = textOf(fieldAt(line, 'item', 'id'));
    return line.type === 'item.completed' && id !== undefined ? `completed ${id}` : undefined;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined || this.#lastError !== undefined;
  }

  get isOver(): boolean {
    return this.#closing !== undefined;
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    if (this.#closing) this.#trace.usage(codexUsage(objectOf(this.#closing.usage)));
    const { sawWork, turnsBegun } = this.#trace;
    return concludeAgent({ exit, reportedError: this.#reportedError(exit), sawWork, stderrTail, turns: turnsBegun });
  }

  #reportedError({ exitCode }: AgentExit): ReportedError | undefined {
    const isCutShort = !this.#closing && exitCode === 0;
    return this.#lastError ?? (isCutShort ? { message: 'it ended without its closing line' } : undefined);
  }

  /** Connection errors are reported during retries, and mean nothing once work goes on. */
  #error(line: JsonObject): void {
    const message = textOf(line.message) ?? 'it reported an error';
    const isProviders = this.#lastError?.isProviders || message.startsWith('Reconnecting...');
    this.#lastError = { message, isProviders };
    this.#trace.notice(message);
  }

  #item(item: JsonObject, isOver: boolean): void {
    const kind = textOf(item.type) ?? 'unknown';
    const handle = this.#itemHandlers.get(kind);
    if (textOf(item.id) === undefined) this.#trace.gap(ofWork, 'an item of the agent has no id');
    this.#count(textOf(item.id) ?? '');
    if (!statuses.has(item.status))
      this.#trace.gap(['tool-results'], `the status of an item is not known: ${String(item.status)}`);
    if (handle && kind !== 'error') {
      this.#lastError = undefined;
      this.#trace.beginTurnUnlessInOne();
    }
    if (handle) handle(item, isOver);
    else this.#trace.unknown(`item/${kind}`, item);
  }

  /** Items are numbered as they are printed, so a number that is passed over is an item that is missing. */
  #count(id: string): void {
    const number = Number(/^item_(\d{1,6})$/.exec(id)?.[1] ?? Number.NaN);
    if (Number.isNaN(number)) return;
    this.#trace.arrived(id);
    const skipped = Array.from({ length: Math.max(0, number - this.#nextItem) }, (_, index) => this.#nextItem + index);
    for (const one of skipped) this.#trace.announce(`item_${one}`, ofWork, 'an item of the agent is missing');
    this.#nextItem = Math.max(this.#nextItem, number + 1);
  }

  #command(item: JsonObject, isOver: boolean): void {
    const callId = textOf(item.id);
    const command = textOf(item.command) ?? '';
    if (command === '') this.#trace.gap(['tool-calls'], 'a command of the agent is empty');
    const call = { callId, tool: 'shell', kind: 'shell', input: { command } } as const;
    this.#trace.toolCall({ ...call, shellCommand: innerCommand(command) });
    if (!isOver) return;
    const exitCode = numberOf(item.exit_code) ?? null;
    const didNotRun = item.status !== 'completed';
    this.#trace.toolResult({ callId, ...shellAnswer(textOf(item.aggregated_output) ?? '', exitCode, didNotRun) });
  }

  #mcpCall(item: JsonObject, isOver: boolean): void {
    const callId = textOf(item.id);
    const named = textOf(item.tool);
    const tool = named && `mcp__${textOf(item.server) ?? 'unknown'}__${named}`;
    this.#trace.toolCall({ callId, tool, kind: 'mcp', input: item.arguments });
    if (!isOver) return;
    const failure = textOf(objectOf(item.error).message) ?? textOf(item.error);
    const isFailed = failure !== undefined || item.status === 'failed';
    const answer = isFailed ? { error: { message: failure ?? 'the call failed' } } : { result: item.result };
    this.#trace.toolResult({ callId, ...answer });
  }

  /** The end repeats what began, with more details. */
  #otherCall(item: JsonObject, isOver: boolean, tool: string | undefined, input: JsonObject): void {
    const callId = textOf(item.id);
    if (!callId || !this.#begun.has(callId)) {
      this.#trace.toolCall({ callId, tool, input, ...actionOf(codexActions, tool ?? '') });
      this.#begun.add(callId ?? '');
    }
    if (!isOver) return;
    const answer = item.status === 'failed' ? { error: { message: 'the call failed' } } : { result: item.status };
    this.#trace.toolResult({ callId, ...answer });
  }
}

function collabTool(item: JsonObject): string | undefined {
  return textOf(item.tool);
}

/** Tokens as Codex counts them, in its output and in its session. */
export function codexUsage(usage: JsonObject): ReportedUsage {
  return {
    inputTokens: usage.input_tokens,
    cachedInputTokens: usage.cached_input_tokens,
    cacheWriteInputTokens: usage.cache_write_input_tokens,
    outputTokens: usage.output_tokens,
    reasoningTokens: usage.reasoning_output_tokens,
  };
}
