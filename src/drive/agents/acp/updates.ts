import { isDeepStrictEqual } from 'node:util';
import type { ApprovalRequest } from '../../../domain/approval-event.ts';
import type { Channel } from '../../../domain/capability.ts';
import { actionOf } from '../actions.ts';
import { type AgentTrace, ofAgents } from '../agent-trace.ts';
import type { ReportedError } from '../conclude.ts';
import { fieldAt, numberOf, objectOf, textOf } from '../json-shapes.ts';
import { acpUsage, answeredError, stopReasons } from './end.ts';
import {
  type AcpToolCall,
  acpActions,
  applyUpdate,
  commandOf,
  exitCodeOf,
  isOver,
  isShell,
  newToolCall,
  terminalsIn,
  textIn,
  unknownIn,
} from './tool-call.ts';

interface Pending {
  readonly kind: 'assistant' | 'reasoning';
  readonly messageId: unknown;
  text: string;
}

/** Puts messages together from the chunks in which they arrive. */
class MessageChunks {
  readonly #trace: AgentTrace;
  #pending: Pending | undefined;

  constructor(trace: AgentTrace) {
    this.#trace = trace;
  }

  add(kind: Pending['kind'], update: unknown): void {
    const messageId = fieldAt(update, 'messageId');
    if (this.#pending?.kind !== kind || this.#pending.messageId !== messageId) this.flush();
    this.#pending ??= { kind, messageId, text: '' };
    this.#pending.text += textOf(fieldAt(update, 'content', 'text')) ?? '';
  }

  /** Emits the message whose chunks have arrived so far. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) this.#trace[pending.kind](pending.text);
  }
}

/** Record of a terminal that was opened for the agent. */
export interface AcpTerminalRecord {
  readonly commandLine: string;
  readonly exitCode: number | null;
  readonly output: string;
  readonly durationMs: number;
}

/** The call that an agent asks permission for. */
type RequestedCall = Omit<ApprovalRequest, 'border'>;

const ofCalls: readonly Channel[] = ['tool-calls', 'tool-results'];

/** Updates about the session, which hold nothing of the agent's work. */
const bookkept: ReadonlySet<string> = new Set([
  'available_commands_update',
  'compaction_update',
  'config_option_update',
  'current_mode_update',
  'current_model_update',
  'plan',
  'plan_update',
  'session_info_update',
]);

/** Turns the updates of an agent into trace events, for live and recorded sessions alike. */
export class AcpUpdates {
  readonly #trace: AgentTrace;
  readonly #terminal: (id: string) => AcpTerminalRecord | undefined;
  readonly #open = new Map<string, AcpToolCall>();
  readonly #started = new Set<string>();
  readonly #ended = new Map<string, AcpToolCall>();
  readonly #chunks: MessageChunks;
  /** Terminals that are part of a call, and commands of calls that may have a terminal which the call does not name. */
  readonly #emittedTerminals = new Set<string>();
  readonly #emittedCommands = new Set<string>();
  #costUsd: number | undefined;
  #hasTokens = false;
  #isAnswering = false;
  /** The last chunk of a message, unless something else was reported after it. */
  #lastWords = '';

  constructor(trace: AgentTrace, terminal: (id: string) => AcpTerminalRecord | undefined = () => undefined) {
    this.#trace = trace;
    this.#chunks = new MessageChunks(trace);
    this.#terminal = terminal;
  }

  /** A `session/update` notification. */
  update(params: unknown): void {
    const update = fieldAt(params, 'update');
    const kind = textOf(fieldAt(update, 'sessionUpdate')) ?? 'unknown';
    if (kind === 'agent_message_chunk') this.#chunk('assistant', update);
    else if (kind === 'agent_thought_chunk') this.#chunk('reasoning', update);
    else if (kind === 'tool_call' || kind === 'tool_call_update') this.#toolCall(update);
    else if (kind === 'usage_update') this.#cost(update);
    else if (bookkept.has(kind)) this.#trace.other(kind, update);
    else if (kind !== 'user_message_chunk') this.#trace.unknown(kind, update);
  }

  /** A `session/request_permission` request, which some agents send instead of announcing the call. */
  permission(params: unknown): RequestedCall | undefined {
    // The content is meant for the person who decides; it is not output of the tool.
    const { content: _content, ...requested } = objectOf(fieldAt(params, 'toolCall'));
    this.#toolCall(requested);
    const call = this.#open.get(textOf(requested.toolCallId) ?? '');
    if (call === undefined) return undefined;
    if (isShell(call)) this.#start(call);
    return this.#requested(call);
  }

  /** A call by the names that its event has. */
  #requested(call: AcpToolCall): RequestedCall {
    const request = call.input ?? { title: call.title };
    if (!isShell(call)) {
      const { kind } = actionOf(acpActions, call.kind ?? '');
      return { callId: call.id, tool: call.firstTitle ?? call.kind ?? 'unknown', kind, request };
    }
    const shellCommand = this.#commandLine(call) ?? call.title ?? '';
    return { callId: call.id, tool: 'execute', kind: 'shell', shellCommand, request };
  }

  /** The answer to `session/prompt`; returns the error with which the agent has ended. */
  promptAnswered(answer: unknown): ReportedError | undefined {
    this.flush();
    // A call that was announced is a call, however little was said about it.
    for (const call of this.#open.values()) this.#start(call);
    const usage = acpUsage(answer);
    this.#hasTokens = usage !== undefined;
    // Agents need not report tokens in this protocol.
    if (usage || this.#costUsd !== undefined) this.#trace.usage({ ...usage, costUsd: this.#costUsd });
    this.#checkStop(fieldAt(answer, 'stopReason'));
    return answeredError(answer, this.#lastWords);
  }

  #checkStop(reason: unknown): void {
    this.#trace.stopReason(reason);
    if (reason !== 'end_turn' && !stopReasons.has(String(reason)))
      this.#trace.gap(ofAgents, `why the agent stopped is not known: ${String(reason)}`);
  }

  /** Whether the agent reported its tokens. */
  get hasTokens(): boolean {
    return this.#hasTokens;
  }

  /** Emits the message whose chunks have arrived so far. */
  flush(): void {
    this.#chunks.flush();
  }

  /** A terminal that belongs to no reported call is still a command. */
  terminalEnded(terminalId: string): void {
    const terminal = this.#terminal(terminalId);
    if (terminal === undefined || this.#emittedTerminals.has(terminalId)) return;
    this.#emittedTerminals.add(terminalId);
    const { commandLine: command, exitCode, output: result, durationMs } = terminal;
    if (this.#emittedCommands.delete(command)) return;
    this.flush();
    this.#answer();
    const call = { callId: terminalId, tool: 'terminal', kind: 'shell', input: { command } } as const;
    this.#trace.toolCall({ ...call, shellCommand: command });
    this.#trace.toolResult({ callId: terminalId, durationMs, exitCode, result });
  }

  #chunk(kind: 'assistant' | 'reasoning', update: unknown): void {
    this.#answer();
    const content = fieldAt(update, 'content');
    if (fieldAt(content, 'type') !== 'text') this.#noteContent(kind, content);
    this.#lastWords = textOf(fieldAt(content, 'text')) ?? '';
    this.#chunks.add(kind, update);
  }

  /** Pictures and sounds of an answer have no words; anything else may. */
  #noteContent(kind: 'assistant' | 'reasoning', content: unknown): void {
    const name = `content/${String(fieldAt(content, 'type'))}`;
    const hasWords = kind === 'assistant' && name !== 'content/image' && name !== 'content/audio';
    if (hasWords) this.#trace.unknown(name, content, ['answers']);
    else this.#trace.other(name, content);
  }

  /** A new answer of the model begins with the first update after the results of the last one. */
  #answer(): void {
    if (!this.#isAnswering) this.#trace.beginTurn();
    this.#isAnswering = true;
  }

  #toolCall(update: unknown): void {
    const id = textOf(fieldAt(update, 'toolCallId'));
    this.#lastWords = '';
    this.flush();
    if (id === undefined) this.#trace.unknown('tool call without an id', update, ofCalls);
    else if (this.#ended.has(id)) this.#again(id, update);
    else this.#advance(id, update);
  }

  #advance(id: string, update: unknown): void {
    const call = this.#open.get(id) ?? newToolCall(id);
    this.#open.set(id, call);
    applyUpdate(call, update);
    const unknown = unknownIn(call);
    if (unknown !== undefined) this.#trace.unknown(unknown, update, ['tool-results']);
    for (const terminalId of terminalsIn(call)) this.#emittedTerminals.add(terminalId);
    if (isOver(call) || this.#isComplete(call)) this.#start(call);
    if (isOver(call)) this.#end(call);
  }

  /** An update of a call that has ended: one that was sent again changes nothing. */
  #again(id: string, update: unknown): void {
    const { status, content, rawOutput } = objectOf(update);
    const ended = this.#ended.get(id);
    const isSame =
      (status ?? ended?.status) === ended?.status &&
      isDeepStrictEqual(content ?? ended?.content, ended?.content) &&
      isDeepStrictEqual(rawOutput ?? ended?.output, ended?.output);
    if (!isSame) this.#trace.gap(['tool-results'], `the call ${id} changed after its end`);
  }

  /** Whether the call can be emitted: the first announcement may still lack the command or the input. */
  #isComplete(call: AcpToolCall): boolean {
    if (isShell(call)) return this.#commandLine(call) !== undefined;
    return call.status === 'in_progress' || call.input !== undefined;
  }

  #commandLine(call: AcpToolCall): string | undefined {
    return commandOf(call) ?? this.#terminalOf(call)?.commandLine;
  }

  #terminalOf(call: AcpToolCall): AcpTerminalRecord | undefined {
    return terminalsIn(call)
      .map(this.#terminal)
      .find((terminal) => terminal !== undefined);
  }

  #start(call: AcpToolCall): void {
    this.#answer();
    if (this.#started.has(call.id)) return;
    this.#started.add(call.id);
    if (!isShell(call)) {
      const tool = call.firstTitle ?? call.kind;
      const action = actionOf(acpActions, call.kind ?? '');
      this.#trace.toolCall({ callId: call.id, tool, input: call.input ?? {}, ...action });
      return;
    }
    // An agent that never reports the command itself puts it into the title.
    const shellCommand = this.#commandLine(call) ?? call.title ?? '';
    if (terminalsIn(call).length === 0) this.#emittedCommands.add(shellCommand);
    const input = call.input ?? { command: shellCommand };
    this.#trace.toolCall({ callId: call.id, tool: 'execute', kind: 'shell', input, shellCommand });
  }

  #end(call: AcpToolCall): void {
    this.#open.delete(call.id);
    this.#ended.set(call.id, call);
    this.#isAnswering = false;
    const terminal = this.#terminalOf(call);
    const text = textIn(call);
    this.#trace.toolResult({
      callId: call.id,
      result: call.output ?? textOf(text) ?? terminal?.output ?? '',
      ...(call.status === 'failed' ? { error: { message: textOf(text) ?? 'the tool call failed' } } : {}),
      ...(isShell(call) ? { exitCode: terminal === undefined ? exitCodeOf(call) : terminal.exitCode } : {}),
    });
  }

  #cost(update: unknown): void {
    const amount = numberOf(fieldAt(update, 'cost', 'amount')) ?? 0;
    // A model without a price is shown as free of charge.
    if (amount > 0 && fieldAt(update, 'cost', 'currency') === 'USD') this.#costUsd = amount;
  }
}
