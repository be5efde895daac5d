import { dirname } from 'node:path';
import type { Channel } from '../../../domain/capability.ts';
import { type AgentActions, actionOf } from '../actions.ts';
import type { AgentExit, AgentReport, AgentSession, OpenAgentStream } from '../agent.ts';
import { modelOf, openaiApi, openaiBaseUrl, setVariables } from '../agent-environment.ts';
import { writeHomeFile } from '../agent-home.ts';
import { type AgentTrace, ofAgents, ofUsage, ofWork, shellAnswer, toolAnswer } from '../agent-trace.ts';
import { concludeFromTrace, type ReportedError } from '../conclude.ts';
import { type JsonLineReader, openJsonLines, repeated } from '../json-line-stream.ts';
import { addUp, contentText, fieldAt, type JsonObject, listOf, objectOf, textOf } from '../json-shapes.ts';
import { defineStreamAgent, fitsArgument } from '../stream-agent.ts';

/** Reads `session > agent_start > turn_start > message_* > tool_execution_* > turn_end > agent_end`. */
export const openPiStream = ((emit) => openJsonLines(emit, (trace) => new PiReader(trace))) satisfies OpenAgentStream;

/** Tools of pi 0.73; it has no sub-agents, and skills are files that it reads. */
export const piActions: AgentActions = {
  tools: {
    bash: 'shell',
    read: 'read',
    edit: 'edit',
    write: 'edit',
    find: 'search',
    grep: 'search',
    ls: 'search',
  },
  subagents: 'none',
};

const ofCalls: readonly Channel[] = ['tool-calls', 'tool-results'];
const ofReplies: readonly Channel[] = ['answers', 'tool-calls', ...ofUsage];
const bookkept: ReadonlySet<string> = new Set([
  'auto_compaction_end',
  'auto_compaction_start',
  'auto_retry_end',
  'auto_retry_start',
  'compaction_end',
  'compaction_start',
  'extension_error',
  'queue_update',
  'session_info_changed',
  'thinking_level_changed',
]);
const stopReasons: ReadonlySet<unknown> = new Set(['stop', 'toolUse', 'length', 'error', 'aborted']);
/** Messages of a session that are not the agent's, or that other lines repeat. */
const otherRoles: ReadonlySet<unknown> = new Set([
  'system',
  'user',
  'toolResult',
  'bashExecution',
  'branchSummary',
  'compactionSummary',
  'custom',
]);

class PiReader implements JsonLineReader {
  readonly lineChannels = ofWork;
  readonly #trace: AgentTrace;
  /** Of the last message: it exits with 0 all the same. */
  #reportedError: ReportedError | undefined;
  /** Whether its last message is the last of the session: after one that calls tools, there is another. */
  isClosed = false;

  readonly handlers = {
    session: repeated,
    agent_start: repeated,
    turn_start: (): void => this.#turnStart(),
    message_start: (line: JsonObject): void => this.#announce(objectOf(line.message)),
    message_update: repeated,
    message_end: (line: JsonObject): void => this.#messageEnd(objectOf(line.message)),
    tool_execution_start: (line: JsonObject): void => this.#toolStart(line),
    tool_execution_update: repeated,
    tool_execution_end: (line: JsonObject): void => this.#toolEnd(line),
    turn_end: (line: JsonObject): void => this.#announce(objectOf(line.message)),
    agent_end: (line: JsonObject): void => this.#end(listOf(line.messages).map(objectOf)),
    agent_settled: repeated,
  };

  constructor(trace: AgentTrace) {
    this.#trace = trace;
  }

  isBookkeeping(kind: string): boolean {
    return bookkept.has(kind);
  }

  /** A message is printed when it begins, when it ends, and at the end of its turn and of the session. */
  idOf(line: JsonObject): string | undefined {
    return line.type === 'message_end' ? nameOf(objectOf(line.message)) : undefined;
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    return concludeFromTrace(this.#trace, { exit, reportedError: this.#reportedError, stderrTail });
  }

  #turnStart(): void {
    this.isClosed = false;
    this.#trace.beginTurn();
  }

  /** An error before the first request stands in the list of messages alone. */
  #end(messages: readonly JsonObject[]): void {
    for (const message of messages) this.#announce(message);
    const last = messages.at(-1);
    if (last && hasFailed(last)) this.#reportedError = errorOf(last);
  }

  #announce(message: JsonObject): void {
    const name = message.role === 'assistant' ? nameOf(message) : undefined;
    if (name !== undefined) this.#trace.announce(name, ofReplies, 'a message of the agent is missing');
  }

  #messageEnd(message: JsonObject): void {
    if (otherRoles.has(message.role)) return;
    if (message.role !== 'assistant')
      this.#trace.gap(ofAgents, `who says a message is not known: ${String(message.role)}`);
    this.#trace.arrived(nameOf(message) ?? '');
    if (!Array.isArray(message.content)) this.#trace.gap(ofReplies, 'a message of the agent has no content');
    for (const part of listOf(message.content).map(objectOf)) this.#part(part);
    this.#stopped(message);
    // A request that failed may have used nothing.
    if (!this.#reportedError || fieldAt(message.usage, 'totalTokens') !== 0)
      this.#trace.usage(tokensIn(objectOf(message.usage), textOf(message.model)));
  }

  #part(part: JsonObject): void {
    const kind = textOf(part.type) ?? 'unknown';
    if (kind === 'text') this.#trace.assistant(textOf(part.text));
    else if (kind === 'thinking') this.#trace.reasoning(textOf(part.thinking) ?? '');
    else if (kind === 'toolCall') this.#trace.announce(`call ${String(part.id)}`, ofCalls, 'a tool call is missing');
    else this.#trace.unknown(`content/${kind}`, part, ofReplies);
  }

  #stopped(message: JsonObject): void {
    const { stopReason } = message;
    this.#reportedError = hasFailed(message) ? errorOf(message) : undefined;
    this.isClosed = stopReason !== 'toolUse';
    this.#trace.stopReason(stopReason);
    if (!stopReasons.has(stopReason)) this.#trace.unknown(`stopReason/${String(stopReason)}`, message, ofReplies);
  }

  #toolStart(line: JsonObject): void {
    const tool = textOf(line.toolName);
    const command = tool === 'bash' ? textOf(fieldAt(line.args, 'command')) : undefined;
    const callId = textOf(line.toolCallId);
    const action = actionOf(piActions, tool ?? '');
    this.#trace.toolCall({ callId, tool, input: line.args, ...action, ...(command && { shellCommand: command }) });
  }

  #toolEnd(line: JsonObject): void {
    const callId = textOf(line.toolCallId);
    const isError = line.isError === true;
    const text = contentText(fieldAt(line.result, 'content'));
    const answer =
      line.toolName === 'bash' ? shellAnswer(text, exitCodeOf(text, isError), isError) : toolAnswer(text, isError);
    this.#trace.toolResult({ callId, ...answer });
  }
}

/** Names a message by its sender and its time, which every line about it repeats. */
function nameOf({ role, timestamp }: JsonObject): string | undefined {
  return timestamp === undefined ? undefined : `message ${String(role)} ${String(timestamp)}`;
}

function tokensIn({ input, output, cacheRead, cacheWrite, reasoning, cost }: JsonObject, model: string | undefined) {
  return {
    model,
    inputTokens: addUp(input, cacheRead, cacheWrite),
    cachedInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
    outputTokens: output,
    reasoningTokens: reasoning,
    costUsd: fieldAt(cost, 'total'),
  };
}

/** It adds the code to the output of a command that failed; one that was stopped has none. */
function exitCodeOf(text: string, isError: boolean): number | null {
  if (!isError) return 0;
  const code = /Command exited with code (\d{1,3})\s*$/.exec(text.slice(-100))?.[1];
  return code === undefined ? null : Number(code);
}

function hasFailed({ stopReason }: JsonObject): boolean {
  return stopReason === 'error' || stopReason === 'aborted';
}

/** The provider's status is the first word of its message. */
function errorOf(message: JsonObject): ReportedError {
  const text = textOf(message.errorMessage) ?? `it stopped: ${String(message.stopReason)}`;
  const status = /^([45]\d\d)\b/.exec(text)?.[1];
  return { message: text, status: status === undefined ? undefined : Number(status) };
}

const quiet = { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' };

const keyVariables = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
];

/** The pi coding agent, which works with many providers. */
export const pi = defineStreamAgent({
  name: 'pi',
  summary: 'the pi coding agent, run with `-p --mode json`',
  program: 'pi',
  versionArguments: ['--version'],
  install: 'npm install -g @earendil-works/pi-coding-agent',
  npmPackage: '@earendil-works/pi-coding-agent',
  earlierPackage: { name: '@mariozechner/pi-coding-agent', before: '0.74.0' },
  inheritedVariables: [...keyVariables, 'OPENAI_BASE_URL'],
  keyVariables,
  reports: { work: 'live', usage: 'live', actions: piActions },
  modelApi: openaiApi('openai-chat', null),
  instructions: { files: ['AGENTS.md', 'CLAUDE.md'], skillFolders: ['.pi/skills'] },

  async launch(session) {
    const { settings, home, prompt } = session;
    if (Object.keys(session.mcpServers).length > 0) {
      session.emit({ type: 'notice', message: 'pi does not support MCP servers; it runs without them' });
    }
    const models = await writeHomeFile(home, '.pi/agent/models.json', piModels(session));
    const isArgument = fitsArgument(prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['-p', '--mode', 'json', '--no-session'],
      ...modelArguments(session),
      ...settings.args,
      ...(isArgument ? [asMessage(prompt)] : []),
    ];
    const keys = setVariables({ OPENAI_API_KEY: settings.apiKey });
    const env = { ...quiet, PI_CODING_AGENT_DIR: dirname(models), ...keys };
    return { argv, env, stdin: isArgument ? '' : prompt };
  },

  openStream: openPiStream,
});

function modelArguments(session: AgentSession): string[] {
  if (openaiBaseUrl(session) !== undefined) return ['--provider', 'assay', '--model', modelOf(session, 'pi')];
  return session.model === undefined ? [] : ['--model', session.model];
}

function piModels(session: AgentSession): string {
  const baseUrl = openaiBaseUrl(session);
  if (baseUrl === undefined) return JSON.stringify({ providers: {} });
  const provider = {
    baseUrl,
    api: 'openai-completions',
    // A command is understood by every version, while the name of a variable is not; so the key stays out of the file.
    apiKey: '!printenv OPENAI_API_KEY',
    models: [{ id: modelOf(session, 'pi') }],
  };
  return JSON.stringify({ providers: { assay: provider } });
}

/** It would take a first `-` for an option and a first `@` for the name of a file. */
function asMessage(prompt: string): string {
  return /^[-@]/.test(prompt) ? ` ${prompt}` : prompt;
}
