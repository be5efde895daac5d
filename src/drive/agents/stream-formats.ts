import type { Report } from '../../domain/capability.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import { openAcpStream } from './acp/acp-stream.ts';
import { acpActions } from './acp/tool-call.ts';
import { type AgentActions, reportsOfActions } from './actions.ts';
import type { AgentExit, AgentReport, AgentStream, NoteUsage, OpenAgentStream } from './agent.ts';
import { claudeActions, openClaudeStream } from './claude-code/claude-code.ts';
import { clineActions, openClineStream } from './cline/cline-stream.ts';
import { codexActions, openCodexStream } from './codex/codex-stream.ts';
import { openContinueStream } from './continue/continue.ts';
import { copilotActions, openCopilotStream } from './copilot/copilot.ts';
import { geminiActions, openGeminiStream } from './gemini/gemini-stream.ts';
import { type JsonObject, listOf, parseJsonObject, textOf } from './json-shapes.ts';
import { kimiActions, openKimiStream } from './kimi/kimi.ts';
import { opencodeActions, openOpencodeStream } from './opencode/opencode.ts';
import { openPiStream, piActions } from './pi/pi.ts';
import { openQwenStream, qwenActions } from './qwen/qwen.ts';
import { openTextStream } from './text-stream.ts';

/** How each kind of output is read, by the name that the config uses. */
export const streamFormats = {
  claude: openClaudeStream,
  qwen: openQwenStream,
  codex: openCodexStream,
  opencode: openOpencodeStream,
  gemini: openGeminiStream,
  pi: openPiStream,
  copilot: openCopilotStream,
  kimi: openKimiStream,
  cline: openClineStream,
  continue: openContinueStream,
  acp: openAcpStream,
  text: openTextStream,
} satisfies Record<string, OpenAgentStream>;

export type StreamFormat = keyof typeof streamFormats;

/** Actions that output of each format shows; the others show no tool calls. */
const actionsOfFormat: Readonly<Partial<Record<StreamFormat, AgentActions>>> = {
  claude: claudeActions,
  qwen: qwenActions,
  codex: codexActions,
  opencode: opencodeActions,
  gemini: geminiActions,
  pi: piActions,
  copilot: copilotActions,
  kimi: kimiActions,
  cline: clineActions,
  acp: acpActions,
};

/** The facts about actions that output of a format reports. */
export function reportsOfFormat(format: StreamFormat): Report[] {
  const actions = actionsOfFormat[format];
  return actions === undefined ? [] : reportsOfActions(actions);
}

/** The format that lines of output are in; undefined when no line has a known format. */
export function detectFormat(lines: readonly string[]): StreamFormat | undefined {
  for (const line of lines) {
    const object = parseJsonObject(line);
    const format = object && formatOf(object);
    if (format !== undefined) return format;
  }
  return undefined;
}

/** Recognises a format by keys that only its lines have, whatever their order. */
function formatOf(line: JsonObject): StreamFormat | undefined {
  const type = textOf(line.type) ?? '';
  if (line.jsonrpc === '2.0') return 'acp';
  if (type === 'system' && typeof line.session_id === 'string') return messagesFormat(line);
  if (/^(?:thread|turn|item)\./.test(type)) return 'codex';
  if (typeof line.sessionID === 'string') return 'opencode';
  if (type === 'init' && typeof line.session_id === 'string') return 'gemini';
  if ((type === 'session' && typeof line.version === 'number') || type === 'agent_start') return 'pi';
  if (/^(?:session|assistant|user|tool|model)\./.test(type) && 'data' in line) return 'copilot';
  if (type === 'agent_event' || type === 'hook_event' || type === 'run_result') return 'cline';
  if (line.role === 'meta' || (line.role === 'assistant' && 'content' in line && type === '')) return 'kimi';
  if (typeof line.response === 'string' && typeof line.status === 'string') return 'continue';
  return undefined;
}

/** The two that print the same messages differ in the names of their tools. */
function messagesFormat(line: JsonObject): StreamFormat {
  return listOf(line.tools).includes('run_shell_command') ? 'qwen' : 'claude';
}

/** After so many lines without a known format, the output is read as text. */
const mostUndecidedLines = 20;

/** Detects the format from the first lines and reads the rest in it. */
export function openAutoStream(emit: EmitTrace, noteUsage?: NoteUsage): AgentStream & { readonly turnsBegun: number } {
  return new AutoStream(emit, noteUsage);
}

class AutoStream implements AgentStream {
  readonly #emit: EmitTrace;
  readonly #noteUsage: NoteUsage | undefined;
  readonly #undecided: { readonly channel: 'line' | 'errorLine'; readonly text: string }[] = [];
  #stream: (AgentStream & { readonly turnsBegun?: number }) | undefined;

  constructor(emit: EmitTrace, noteUsage: NoteUsage | undefined) {
    this.#emit = emit;
    this.#noteUsage = noteUsage;
  }

  get turnsBegun(): number {
    return this.#stream?.turnsBegun ?? 0;
  }

  line(text: string): void {
    this.#take('line', text);
  }

  errorLine(text: string): void {
    this.#take('errorLine', text);
  }

  finish(exit: AgentExit, wasStopped?: boolean): AgentReport {
    return this.#decide('text').finish(exit, wasStopped);
  }

  #take(channel: 'line' | 'errorLine', text: string): void {
    if (this.#stream !== undefined) this.#stream[channel](text);
    else this.#tryToDecide(channel, text);
  }

  #tryToDecide(channel: 'line' | 'errorLine', text: string): void {
    this.#undecided.push({ channel, text });
    const format = channel === 'line' ? detectFormat([text]) : undefined;
    if (format !== undefined) this.#decide(format);
    else if (this.#undecided.length >= mostUndecidedLines) this.#decide('text');
  }

  #decide(format: keyof typeof streamFormats): AgentStream {
    if (this.#stream !== undefined) return this.#stream;
    const open: OpenAgentStream = streamFormats[format];
    this.#stream = open(this.#emit, this.#noteUsage);
    for (const { channel, text } of this.#undecided.splice(0)) this.#stream[channel](text);
    return this.#stream;
  }
}
