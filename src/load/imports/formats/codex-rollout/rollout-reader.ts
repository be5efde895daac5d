import type { Loss } from '../../../../domain/loss.ts';
import { actionOf } from '../../../../drive/agents/actions.ts';
import { AgentTrace, ofAgents, ofUsage } from '../../../../drive/agents/agent-trace.ts';
import { codexActions, codexUsage } from '../../../../drive/agents/codex/codex-stream.ts';
import type { WireCall, WireResult } from '../../../../drive/wire/codec.ts';
import { readBlocks } from '../../../../drive/wire/content-blocks.ts';
import { readItem } from '../../../../drive/wire/openai-responses/reply.ts';
import { callsOf, contentText, textOf, tracedArguments } from '../../../../drive/wire/values.ts';
import { isRecord } from '../../../../shared/json.ts';
import { amountOf, figureOf, type JsonObject, nameOf, objectOf, parseJson } from '../../coerce.ts';
import type { TraceCollector } from '../../trace-collector.ts';

/** The sub-agent whose rollout is read, and the call that started it. */
export interface Subagent {
  readonly actor: string;
  readonly parentCallId: string;
}

const shellTools = new Set(['exec_command', 'shell', 'shell_command', 'local_shell', 'container.exec']);
/** Texts that Codex itself puts before the words of the user. */
const contextStart = /^\s*(?:<[a-z_]+[>\s]|# AGENTS\.md instructions)/;

/** Lines and items that hold nothing of the agent's work, or repeat it. */
const bookkept = new Set(['session_meta', 'turn_context', 'compacted', 'world_state']);
const bookkeptItems = new Set(['compaction', 'compaction_summary', 'context_compaction', 'ghost_snapshot']);
/** Events about tokens and ends, and those that repeat items or are about the session. */
const repeatingEvents =
  /^(?:token_count|task_(?:started|complete)|turn_\w+|(?:stream_)?error|warning|user_message|agent_\w+|item_\w+|thread_\w+|session_\w+|exec_\w+|mcp_\w+|patch_\w+|apply_patch_\w+|web_search_\w+|view_image_\w+|image_\w+|entered_review_mode|exited_review_mode|context_compacted|undo_\w+|plan_\w+|background_event|collab_\w+|hook_\w+|dynamic_\w+|guardian_\w+|request_\w+|elicitation_\w+|shutdown_complete|deprecation_notice|raw_response_item|reasoning_\w+|sub_?agent_\w+|terminal_interaction|list_\w+|model_\w+)$/;

/** Turns the lines of a rollout into events. */
export class RolloutReader {
  readonly #collector: TraceCollector;
  readonly #trace: AgentTrace;
  readonly #totals = new Map<string, number>();
  /** Threads with work whose tokens have not come yet. */
  readonly #uncounted = new Set<string>();
  #searches = 0;
  model: string | undefined;
  isCompleted = false;
  failure: string | undefined;

  constructor(collector: TraceCollector) {
    this.#collector = collector;
    this.#trace = new AgentTrace(collector.emit);
  }

  add(line: JsonObject, subagent: Subagent | undefined): void {
    const payload = objectOf(line.payload);
    const type = nameOf(line.type) ?? 'unknown';
    if (type === 'turn_context' && subagent === undefined) this.model ??= nameOf(payload.model);
    else if (type === 'response_item') this.#item(payload, subagent);
    else if (type === 'event_msg') this.#event(payload, subagent);
    else if (!bookkept.has(type)) this.#trace.unknown(type, line);
  }

  /** Beside tokens and ends, events repeat the items. */
  #event(payload: JsonObject, subagent: Subagent | undefined): void {
    const type = nameOf(payload.type) ?? 'unknown';
    if (!repeatingEvents.test(type)) this.#trace.unknown(`event_msg/${type}`, payload, ofAgents);
    if (type === 'token_count') this.#usage(objectOf(payload.info), subagent);
    if (subagent !== undefined) return;
    if (type === 'task_started') this.isCompleted = false;
    else if (type === 'task_complete') this.isCompleted = true;
    else if (type === 'turn_aborted') this.isCompleted = false;
    else if (type === 'error' || type === 'stream_error') {
      this.failure = nameOf(payload.message) ?? 'it reports an error';
      this.#trace.notice(this.failure);
    }
  }

  /** The same figures come again when only the limits of the account have changed. */
  #usage({ total_token_usage: total, last_token_usage: last }: JsonObject, subagent: Subagent | undefined): void {
    const sum = amountOf(objectOf(total).total_tokens);
    const thread = threadOf(subagent);
    const before = this.#totals.get(thread) ?? 0;
    if (!isRecord(last) && (last != null || sum !== undefined))
      this.#trace.unknown('token_count', { total, last }, ofUsage);
    if (sum !== undefined && sum < before) this.#trace.gap(ofUsage, `${sum} tokens in all follow ${before}`);
    if (!isRecord(last) || (sum !== undefined && sum === this.#totals.get(thread))) return;
    const added = amountOf(last.total_tokens);
    if (sum !== undefined && added !== undefined && sum > before + added)
      this.#trace.gap(ofUsage, `${sum} tokens in all follow ${before} and ${added}`);
    if (sum !== undefined) this.#totals.set(thread, sum);
    this.#uncounted.delete(thread);
    this.#trace.usage({ model: this.model, ...codexUsage(last) });
  }

  /** The tokens of a request stand after its work; must be called after the last line. */
  finish(): void {
    if (this.#totals.size > 0 && this.#uncounted.size > 0)
      this.#trace.gap(ofUsage, 'the tokens of the last request are not recorded');
  }

  #item(item: JsonObject, subagent: Subagent | undefined): void {
    const type = nameOf(item.type) ?? 'unknown';
    if (item.role === 'assistant' || type.endsWith('_call')) this.#uncounted.add(threadOf(subagent));
    if (type === 'message') this.#message(item, subagent);
    else if (bookkeptItems.has(type)) this.#trace.other(type, item);
    else this.#work(type, item, subagent);
  }

  /** Thoughts, calls and their results, as every reader of the API reads them. */
  #work(type: string, item: JsonObject, subagent: Subagent | undefined): void {
    const unplaced: Loss[] = [];
    const isSearch = type === 'web_search_call';
    const parts = readItem(item, 'item', unplaced, () => (isSearch ? `search-${++this.#searches}` : ''));
    // It may have started a sub-agent, whose tokens are missing then.
    if (parts.length === 0) this.#trace.unknown(type, item, ofAgents);
    else for (const { channels, reason } of unplaced) this.#trace.gap(channels, reason);
    for (const part of parts) {
      if (part.kind === 'call') this.#call(part.call, item, subagent);
      else if (part.kind === 'result') this.#answer(part.result, item);
      else if (part.kind === 'thinking' && subagent === undefined) this.#trace.reasoning(part.text);
    }
    // The provider searches by itself, and the session does not hold what it found.
    const [call] = isSearch ? callsOf(parts) : [];
    if (call) this.#trace.toolResult({ callId: call.callId, result: item.status });
  }

  #message({ role, content }: JsonObject, subagent: Subagent | undefined): void {
    const unplaced: Loss[] = [];
    const text = textOf(readBlocks(content, 'content', unplaced), '\n');
    if (unplaced.length > 0 && role === 'assistant') this.#trace.unknown('content', content, ['answers']);
    if (content === undefined && role === 'assistant')
      this.#trace.unknown('a message without content', null, ['answers']);
    if (text === '') return;
    const isContext = role !== 'assistant' && (role !== 'user' || contextStart.test(text));
    if (isContext) {
      if (subagent === undefined) this.#collector.emit({ type: 'message', seenBy: 'engine', role: 'system', text });
    } else if (subagent) {
      this.#trace.other('subagent-message', { ...subagent, role, text });
    } else if (role === 'assistant') this.#trace.assistant(text);
    else this.#collector.emit({ type: 'message', seenBy: 'engine', role: 'user', text });
  }

  #call(call: WireCall, item: JsonObject, subagent: Subagent | undefined): void {
    const tool = nameOf(call.tool);
    const input = tracedArguments(call);
    const isShell = tool !== undefined && shellTools.has(tool);
    const action = actionOf(codexActions, isShell ? 'shell' : (mcpName(item) ?? tool ?? ''));
    this.#trace.toolCall({
      callId: nameOf(call.callId),
      tool,
      input,
      ...action,
      ...subagent,
      ...(isShell && { shellCommand: commandIn(objectOf(input)) }),
    });
  }

  #answer({ callId, content }: WireResult, { output }: JsonObject): void {
    const text = contentText(objectOf(output).content ?? output) || content;
    const parsed = objectOf(parseJson(text));
    const written = nameOf(parsed.output) ?? text;
    const exitCode = figureOf(objectOf(parsed.metadata).exit_code) ?? exitCodeIn(text);
    const hasFailed = objectOf(output).success === false;
    this.#trace.toolResult({
      callId: nameOf(callId),
      ...(hasFailed ? { error: { message: written } } : { result: written }),
      ...(exitCode !== undefined && { exitCode }),
    });
  }
}

function threadOf(subagent: Subagent | undefined): string {
  return subagent?.parentCallId ?? '';
}

function mcpName({ name, namespace }: JsonObject): string | undefined {
  const text = nameOf(namespace);
  return text?.startsWith('mcp__') ? `${text}${nameOf(name)}` : undefined;
}

/** A command is a text, or the words of a shell that runs one. */
function commandIn({ cmd, command }: JsonObject): string {
  if (!Array.isArray(command)) return nameOf(cmd) ?? nameOf(command) ?? '';
  const isShell = /(?:^|\/)(?:ba|z)?sh$/.test(String(command[0])) && /^-l?c$/.test(String(command[1]));
  return isShell ? String(command[2] ?? '') : command.join(' ');
}

function exitCodeIn(text: string): number | undefined {
  return figureOf(/^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(text.slice(0, 500))?.[1]);
}
