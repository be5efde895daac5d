import type { Loss } from '../../domain/loss.ts';
import { resemblesJson } from '../../shared/json.ts';
import type { WireCall, WirePart, WireResult } from '../wire/codec.ts';
import { readBlocks } from '../wire/content-blocks.ts';
import { actionOf } from './actions.ts';
import type { AgentExit, AgentReport, NoteUsage } from './agent.ts';
import { type AgentTrace, ofWork, type SubagentCall, shellAnswer, toolAnswer, unnamedSubagent } from './agent-trace.ts';
import { concludeAgent, type ReportedError } from './conclude.ts';
import type { JsonLineReader } from './json-line-stream.ts';
import { contentText, type JsonObject, listOf, numberOf, objectOf, textOf } from './json-shapes.ts';
import { emitUsage, type MessagesDialect, MessageTally } from './messages-usage.ts';

const subtypeWords: ReadonlyMap<string, string> = new Map([
  ['error_max_turns', 'reached the turn limit'],
  ['error_max_budget_usd', 'reached the cost limit'],
  ['error_during_execution', 'failed during execution'],
]);

/** The error that a `result` line reports; `is_error` counts, because `subtype` says success beside it. */
function closingError(line: JsonObject): ReportedError | undefined {
  const subtype = textOf(line.subtype) ?? '';
  if (line.is_error === true || subtype.startsWith('error')) {
    const details = textOf(line.result) ?? textOf(objectOf(line.error).message) ?? textOf(contentText(line.errors));
    const kind = subtypeWords.get(subtype);
    const message =
      [kind, details].filter((part) => part !== undefined).join(': ') || subtype || 'it reported an error';
    return { message, status: numberOf(line.api_error_status) };
  }
  return line.stop_reason === 'refusal' ? { message: 'the model refused to continue' } : undefined;
}

const bookkept: ReadonlySet<string> = new Set([
  'auth_status',
  'control_cancel_request',
  'control_response',
  'conversation_reset',
  'keep_alive',
  'prompt_suggestion',
  'rate_limit_event',
  'tool_progress',
  'tool_use_summary',
]);
/** Reads `system > assistant > user(tool_result) > … > result`, in which each line holds a whole part of a message. */
export class MessagesReader implements JsonLineReader {
  readonly lineChannels = ofWork;
  readonly #trace: AgentTrace;
  readonly #dialect: MessagesDialect;
  readonly #tally: MessageTally;
  readonly #noteUsage: NoteUsage | undefined;
  readonly #shellCalls = new Set<string>();
  /** How many blocks of each message were seen. */
  readonly #blocks = new Map<string, number>();
  /** Names of sub-agents, by the calls that started them. */
  readonly #subagents = new Map<string, string>();
  /** The last provider failure that the agent reported and has not recovered from. */
  #providerError: ReportedError | undefined;
  #closing: JsonObject | undefined;

  readonly handlers = {
    system: (line: JsonObject): void => this.#system(line),
    assistant: (line: JsonObject): void => this.#assistant(line),
    user: (line: JsonObject): void => this.#user(line),
    result: (line: JsonObject): void => this.#result(line),
    stream_event: (line: JsonObject): void => this.#partOfMessage(line),
    control_request: (line: JsonObject): void => this.#request(line),
  };

  constructor(trace: AgentTrace, dialect: MessagesDialect, noteUsage?: NoteUsage) {
    this.#trace = trace;
    this.#dialect = dialect;
    this.#noteUsage = noteUsage;
    this.#tally = new MessageTally(dialect.usageOf);
  }

  isBookkeeping(kind: string): boolean {
    return bookkept.has(kind);
  }

  /** Older versions number only some of their lines. */
  idOf(line: JsonObject): string | undefined {
    return textOf(line.uuid);
  }

  get isClosed(): boolean {
    return this.#closing !== undefined || this.#dialect.isStored === true;
  }

  get isOver(): boolean {
    return this.#closing !== undefined;
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    const { outputTokens = 0 } = emitUsage(this.#trace, this.#closing, this.#tally, this.#dialect);
    const sawWork = this.#trace.sawWork || outputTokens > 0;
    const turns = numberOf(this.#closing?.num_turns);
    return concludeAgent({ exit, reportedError: this.#reportedError(exit), sawWork, stderrTail, turns });
  }

  #reportedError({ exitCode }: AgentExit): ReportedError | undefined {
    // A closing line that reports success counts only when the agent recovered from the provider's last failure.
    if (this.#closing) return closingError(this.#closing) ?? this.#providerError;
    const cutShort = exitCode === 0 ? { message: 'it ended without its closing line' } : undefined;
    return this.#providerError ?? cutShort;
  }

  #result(line: JsonObject): void {
    this.#closing = line;
    this.#trace.stopReason(line.stop_reason);
    const repeated = closingError(line) === undefined && !this.#providerError ? textOf(line.result) : undefined;
    if (repeated !== undefined) this.#trace.lastAnswer(repeated);
  }

  #system(line: JsonObject): void {
    const subtype = textOf(line.subtype) ?? 'unknown';
    this.#trace.other(`system/${subtype}`, line);
    if (subtype === 'api_retry') {
      const message = textOf(line.error) ?? 'the provider failed';
      this.#providerError = { message, status: numberOf(line.error_status), isProviders: true };
    }
    for (const server of listOf(line.mcp_servers).map(objectOf)) {
      if (server.status === 'failed') this.#trace.notice(`MCP server "${String(server.name)}" did not start`);
    }
  }

  /** An approval request is answered while the agent waits; the call itself is in its messages. */
  #request({ request }: JsonObject): void {
    const subtype = textOf(objectOf(request).subtype) ?? 'unknown';
    if (subtype === 'can_use_tool') this.#trace.other('control_request/can_use_tool', request);
    else this.#trace.unknown(`control_request/${subtype}`, request, ['approvals']);
  }

  #assistant(line: JsonObject): void {
    const message = objectOf(line.message);
    const text = contentText(message.content);
    if (this.#dialect.isProviderError(line, text)) {
      this.#providerError = { message: text, status: numberOf(line.api_error_status), isProviders: true };
      this.#trace.notice(text);
      return;
    }
    this.#providerError = undefined;
    this.#tally.note(textOf(message.id) ?? '', message.usage);
    this.#noteUsage?.([{ model: textOf(message.model), ...this.#tally.sum() }]);
    this.#trace.stopReason(message.stop_reason);
    const subagent = this.#subagentOf(line);
    if (typeof message.content === 'string') this.#words('assistant', message.content, subagent);
    if (!isContent(message.content)) this.#trace.gap(ofWork, 'a message of the agent has no content');
    for (const block of listOf(message.content).map(objectOf)) this.#assistantBlock(block, subagent);
    const messageId = textOf(message.id);
    if (messageId !== undefined) this.#blockArrived(messageId, listOf(message.content).length);
  }

  /** Where parts of messages are printed as they come, they announce the blocks of each message. */
  #blockArrived(messageId: string, count: number): void {
    const arrived = (this.#blocks.get(messageId) ?? 0) + count;
    this.#blocks.set(messageId, arrived);
    for (let index = arrived - count; index < arrived; index++) this.#trace.arrived(`block ${index} of ${messageId}`);
  }

  /** The sub-agent whose work a line shows; nothing for the main agent. */
  #subagentOf(line: JsonObject): SubagentCall {
    const parentCallId = textOf(line.parent_tool_use_id);
    // Stored sessions mark the lines of sub-agents, and do not say which call started them.
    if (parentCallId === undefined) return line.isSidechain === true ? { actor: unnamedSubagent } : {};
    return { actor: textOf(line.subagent_type) ?? this.#subagents.get(parentCallId) ?? unnamedSubagent, parentCallId };
  }

  #words(role: 'assistant' | 'user', text: string | undefined, subagent: SubagentCall): void {
    if (subagent.actor !== undefined) this.#trace.subagentMessage({ ...subagent, role, text: text ?? '' });
    else if (role === 'assistant') this.#trace.assistant(text);
    else this.#trace.user(text ?? '');
  }

  #assistantBlock(block: JsonObject, subagent: SubagentCall): void {
    const part = this.#read(block);
    if (part?.kind === 'text') this.#words('assistant', textOf(part.text), subagent);
    else if (part?.kind === 'call') this.#toolUse(part.call, subagent);
    else if (part?.kind === 'result') this.#toolResult(part.result, block.content, {});
    else if (part?.kind === 'thinking') this.#trace.reasoning(part.text);
    else if (part) this.#trace.other(`assistant/${kindOf(block)}`, block);
    else this.#trace.unknown(`assistant/${kindOf(block)}`, block, ofWork);
  }

  /** A block as every reader of the API reads it; undefined for one of an unknown kind. */
  #read(block: JsonObject): WirePart | undefined {
    const unplaced: Loss[] = [];
    const [part] = readBlocks([block], 'content', unplaced, () => '');
    if (part) for (const { channels, reason } of unplaced) this.#trace.gap(channels, reason);
    return part;
  }

  #toolUse({ callId: id, tool: name, arguments: input, server }: WireCall, subagent: SubagentCall): void {
    const callId = textOf(id);
    const tool = textOf(name);
    const isShell = tool === this.#dialect.shellTool;
    if (isShell && callId !== undefined) this.#shellCalls.add(callId);
    const shell = isShell ? { shellCommand: textOf(objectOf(input).command) ?? '' } : {};
    const action = server === undefined ? actionOf(this.#dialect.actions, name) : ({ kind: 'mcp' } as const);
    const delegate = action.kind === 'delegate' ? textOf(objectOf(input).subagent_type) : undefined;
    if (delegate !== undefined && callId !== undefined) this.#subagents.set(callId, delegate);
    this.#trace.toolCall({ callId, tool, input, ...action, ...subagent, ...shell });
  }

  #user(line: JsonObject): void {
    const { content } = objectOf(line.message);
    const subagent = this.#subagentOf(line);
    if (typeof content === 'string') this.#words('user', content, subagent);
    else if (!Array.isArray(content)) this.#trace.gap(['tool-results'], 'a message to the agent has no content');
    for (const block of listOf(content).map(objectOf)) {
      const part = this.#read(block);
      if (part?.kind === 'result') this.#toolResult(part.result, block.content, objectOf(line.tool_use_result));
      else if (part?.kind === 'text') this.#words('user', part.text, subagent);
      else if (part?.kind === 'block') this.#trace.other(`user/${kindOf(block)}`, block);
      else this.#trace.unknown(`user/${kindOf(block)}`, block, ['tool-results']);
    }
  }

  #toolResult(result: WireResult, written: unknown, details: JsonObject): void {
    const callId = textOf(result.callId);
    const text = contentText(written);
    const isError = result.isError === true;
    if (callId !== undefined && this.#shellCalls.has(callId)) {
      const exitCode = this.#dialect.exitCodeOf({ text, isError, details });
      this.#trace.toolResult({ callId, ...shellAnswer(text, exitCode, isError) });
    } else if (text === '' && !isError) this.#trace.toolResult({ callId, result: written });
    else this.#trace.toolResult({ callId, ...toolAnswer(text || result.content, isError) });
  }

  /** Parts repeat the content of whole messages; only the token counts at the end of a message are nowhere else. */
  #partOfMessage(line: JsonObject): void {
    const event = objectOf(line.event);
    const messageId = textOf(line.api_message_id);
    if (messageId === undefined) return;
    if (event.type === 'message_delta') this.#tally.note(messageId, event.usage);
    if (event.type === 'content_block_start')
      this.#trace.announce(`block ${String(event.index)} of ${messageId}`, ofWork, 'a part of a message is missing');
  }
}

/** Words, or a list of blocks that is not empty; text of JSON was a list of blocks. */
function isContent(content: unknown): boolean {
  return typeof content === 'string' ? !resemblesJson(content) : listOf(content).length > 0;
}

function kindOf({ type }: JsonObject): string {
  return textOf(type) ?? 'unknown';
}
