import { actionOf } from '../../../../drive/agents/actions.ts';
import { codexActions } from '../../../../drive/agents/codex/codex-stream.ts';
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

/** Turns the lines of a rollout into events. */
export class RolloutReader {
  readonly #collector: TraceCollector;
  readonly #totals = new Map<string, number>();
  model: string | undefined;
  isCompleted = false;
  failure: string | undefined;

  constructor(collector: TraceCollector) {
    this.#collector = collector;
  }

  add(line: JsonObject, subagent: Subagent | undefined): void {
    const payload = objectOf(line.payload);
    if (line.type === 'turn_context' && subagent === undefined) this.model ??= nameOf(payload.model);
    else if (line.type === 'response_item') this.#item(payload, subagent);
    else if (line.type === 'event_msg') this.#event(payload, subagent);
  }

  #event(payload: JsonObject, subagent: Subagent | undefined): void {
    const { type } = payload;
    if (type === 'token_count') this.#usage(objectOf(payload.info), subagent);
    if (subagent !== undefined) return;
    if (type === 'task_started') this.isCompleted = false;
    else if (type === 'task_complete') this.isCompleted = true;
    else if (type === 'turn_aborted') this.isCompleted = false;
    else if (type === 'error' || type === 'stream_error') {
      this.failure = nameOf(payload.message) ?? 'it reports an error';
      this.#collector.emit({ type: 'notice', message: this.failure });
    }
  }

  /** The same figures come again when only the limits of the account have changed. */
  #usage({ total_token_usage: total, last_token_usage: last }: JsonObject, subagent: Subagent | undefined): void {
    const sum = amountOf(objectOf(total).total_tokens);
    const thread = subagent?.parentCallId ?? '';
    if (!isRecord(last) || (sum !== undefined && sum === this.#totals.get(thread))) return;
    if (sum !== undefined) this.#totals.set(thread, sum);
    const [inputTokens, outputTokens] = [amountOf(last.input_tokens), amountOf(last.output_tokens)];
    if (inputTokens === undefined || outputTokens === undefined) return;
    const cached = amountOf(last.cached_input_tokens);
    const reasoning = amountOf(last.reasoning_output_tokens);
    this.#collector.emit({
      type: 'usage',
      inputTokens,
      outputTokens,
      ...(this.model !== undefined && { model: this.model }),
      ...(cached !== undefined && { cachedInputTokens: cached }),
      ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    });
  }

  #item(item: JsonObject, subagent: Subagent | undefined): void {
    const { type } = item;
    if (type === 'message') this.#message(item, subagent);
    else if (type === 'reasoning') this.#reasoning(item, subagent);
    else if (type === 'function_call' || type === 'custom_tool_call') this.#call(item, subagent);
    else if (type === 'local_shell_call')
      this.#call({ ...item, name: 'local_shell', arguments: item.action }, subagent);
    else if (type === 'web_search_call')
      this.#call({ ...item, name: 'web_search', arguments: item.action, call_id: item.id }, subagent);
    else if (type === 'function_call_output' || type === 'custom_tool_call_output') this.#answer(item);
    else this.#collector.emit({ type: 'other', kind: nameOf(type) ?? 'unknown', data: item });
  }

  #message({ role, content }: JsonObject, subagent: Subagent | undefined): void {
    const text = textIn(content);
    if (text === '') return;
    const isContext = role !== 'assistant' && (role !== 'user' || contextStart.test(text));
    if (isContext) {
      if (subagent === undefined) this.#collector.emit({ type: 'message', seenBy: 'engine', role: 'system', text });
    } else if (subagent) {
      this.#collector.emit({ type: 'other', kind: 'subagent-message', data: { ...subagent, role, text } });
    } else if (role === 'assistant') this.#collector.emit({ type: 'message', role: 'assistant', text });
    else this.#collector.emit({ type: 'message', seenBy: 'engine', role: 'user', text });
  }

  #reasoning({ summary, content }: JsonObject, subagent: Subagent | undefined): void {
    const text = textIn(summary) || textIn(content);
    if (text !== '' && subagent === undefined) this.#collector.emit({ type: 'reasoning', text });
  }

  #call(item: JsonObject, subagent: Subagent | undefined): void {
    const tool = nameOf(item.name) ?? 'unknown';
    const written = item.arguments ?? item.input;
    const input = typeof written === 'string' ? (parseJson(written) ?? written) : (written ?? {});
    const isShell = shellTools.has(tool);
    const action = actionOf(codexActions, isShell ? 'shell' : (mcpName(item) ?? tool));
    this.#collector.emit({
      type: 'tool-call',
      callId: nameOf(item.call_id) ?? nameOf(item.id) ?? 'unknown',
      tool,
      input,
      ...action,
      ...subagent,
      ...(isShell && { shellCommand: commandIn(objectOf(input)) }),
    });
  }

  #answer({ call_id, output }: JsonObject): void {
    const text =
      typeof output === 'string' ? output : textIn(objectOf(output).content ?? output) || JSON.stringify(output ?? '');
    const parsed = objectOf(parseJson(text));
    const written = nameOf(parsed.output) ?? text;
    const exitCode = figureOf(objectOf(parsed.metadata).exit_code) ?? exitCodeIn(text);
    const hasFailed = objectOf(output).success === false;
    this.#collector.emit({
      type: 'tool-result',
      callId: nameOf(call_id) ?? 'unknown',
      ...(hasFailed ? { error: { message: written } } : { result: written }),
      ...(exitCode !== undefined && { exitCode }),
    });
  }
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

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  return parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}
