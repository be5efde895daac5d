import { openAcpStream } from './acp/acp-stream.ts';
import type { OpenAgentStream } from './agent.ts';
import { openClaudeStream } from './claude-code/claude-stream.ts';
import { openClineStream } from './cline/cline-stream.ts';
import { openCodexStream } from './codex/codex-stream.ts';
import { openTextStream } from './command/text-stream.ts';
import { openContinueStream } from './continue/continue-stream.ts';
import { openCopilotStream } from './copilot/copilot-stream.ts';
import { openGeminiStream } from './gemini/gemini-stream.ts';
import { type JsonObject, listOf, parseJsonObject, textOf } from './json-shapes.ts';
import { openKimiStream } from './kimi/kimi-stream.ts';
import { openOpencodeStream } from './opencode/opencode-stream.ts';
import { openPiStream } from './pi/pi-stream.ts';
import { openQwenStream } from './qwen/qwen-stream.ts';

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

/** The format that lines of output are in; undefined when no line gives it away. */
export function detectFormat(lines: readonly string[]): StreamFormat | undefined {
  for (const line of lines) {
    const object = parseJsonObject(line);
    const format = object && formatOf(object);
    if (format !== undefined) return format;
  }
  return undefined;
}

/** What only one format has in its lines; keys are looked at, never their order. */
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
