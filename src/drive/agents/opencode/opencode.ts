import { join } from 'node:path';
import type { Channel } from '../../../domain/capability.ts';
import type { ReportedUsage } from '../../../domain/usage.ts';
import { type AgentActions, actionOf } from '../actions.ts';
import type { AgentExit, AgentMcpServer, AgentReport, AgentSession, OpenAgentStream } from '../agent.ts';
import { modelOf, openaiApi, openaiBaseUrl, setVariables } from '../agent-environment.ts';
import { writeHomeFile } from '../agent-home.ts';
import { type AgentTrace, ofUsage, shellAnswer, toolAnswer } from '../agent-trace.ts';
import { concludeFromTrace, type ReportedError } from '../conclude.ts';
import { describedSubagents } from '../harness.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { addUp, fieldAt, type JsonObject, numberOf, objectOf, textOf } from '../json-shapes.ts';
import { defineStreamAgent } from '../stream-agent.ts';

/** The config file of OpenCode: no prompts, no sharing, no downloads, and keys stay in the environment. */
function opencodeConfig(session: AgentSession): string {
  const servers = Object.entries(session.mcpServers).map(([name, server]) => [name, mcpServer(server)]);
  return JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    permission: 'allow',
    ...modelSettings(session),
    mcp: Object.fromEntries(servers),
  });
}

/** With a configured address, the model has the name that the server there uses. */
function modelSettings(session: AgentSession): object {
  const baseURL = openaiBaseUrl(session);
  if (baseURL === undefined) return session.model === undefined ? {} : { model: session.model };
  const model = modelOf(session, 'opencode');
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: 'assay',
    options: { baseURL, apiKey: '{env:OPENAI_API_KEY}' },
    models: { [model]: { name: model } },
  };
  return { model: `assay/${model}`, small_model: `assay/${model}`, provider: { assay: provider } };
}

function mcpServer(server: AgentMcpServer): object {
  if ('url' in server) return { type: 'remote', url: server.url, headers: server.headers, enabled: true };
  return { type: 'local', command: [server.command, ...server.args], environment: server.env, enabled: true };
}

/** Tools of OpenCode 1.18; the sessions of sub-agents are not printed. */
export const opencodeActions: AgentActions = {
  tools: {
    bash: 'shell',
    read: 'read',
    apply_patch: 'edit',
    edit: 'edit',
    multiedit: 'edit',
    patch: 'edit',
    write: 'edit',
    codesearch: 'search',
    glob: 'search',
    grep: 'search',
    list: 'search',
    websearch: 'search',
    webfetch: 'fetch',
    skill: 'skill',
    task: 'delegate',
    batch: 'other',
    invalid: 'other',
    lsp: 'other',
    plan_exit: 'other',
    question: 'other',
    todoread: 'other',
    todowrite: 'other',
  },
  subagents: 'hidden',
};

/** Reads `step_start > text > tool_use > step_finish`; there is no closing line. */
export const openOpencodeStream = ((emit) =>
  openJsonLines(emit, (trace) => new OpencodeReader(trace))) satisfies OpenAgentStream;

const ofCalls: readonly Channel[] = ['tool-calls', 'tool-results'];
/** Of the models' replies; some servers give none. */
const finishReasons: ReadonlySet<unknown> = new Set([
  'stop',
  'tool-calls',
  'length',
  'content-filter',
  'error',
  'other',
  'unknown',
]);

class OpencodeReader implements JsonLineReader {
  readonly #trace: AgentTrace;
  /** The last error, as long as no further step has shown a recovery. */
  #reportedError: ReportedError | undefined;

  /** Between a step that asks for more and the next one, its output cannot end. */
  #isBetweenSteps = true;

  readonly handlers = {
    step_start: (line: JsonObject): void => this.#stepStart(objectOf(line.part)),
    text: (line: JsonObject): void => this.#trace.assistant(textOf(fieldAt(line, 'part', 'text'))),
    reasoning: (line: JsonObject): void => this.#trace.reasoning(textOf(fieldAt(line, 'part', 'text')) ?? ''),
    tool_use: (line: JsonObject): void => this.#toolUse(objectOf(line.part)),
    step_finish: (line: JsonObject): void => this.#stepFinish(objectOf(line.part)),
    error: (line: JsonObject): void => {
      this.#reportedError = errorOf(objectOf(line.error));
    },
  };

  constructor(trace: AgentTrace) {
    this.#trace = trace;
  }

  idOf({ type, part }: JsonObject): string | undefined {
    const id = textOf(fieldAt(part, 'id'));
    return id === undefined ? undefined : `${String(type)} ${id}`;
  }

  /** There is no closing line, but the last step says that it is the last. */
  get isClosed(): boolean {
    return !this.#isBetweenSteps || this.#reportedError !== undefined;
  }

  get isOver(): boolean {
    return this.isClosed;
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    return concludeFromTrace(this.#trace, { exit, reportedError: this.#reportedError, stderrTail });
  }

  #stepStart(part: JsonObject): void {
    this.#reportedError = undefined;
    this.#isBetweenSteps = true;
    this.#trace.beginTurn();
    this.#trace.announce(`end of ${String(part.messageID)}`, ofUsage, 'a step has no end');
  }

  /** A tool is reported once, when it has ended. */
  #toolUse(part: JsonObject): void {
    const state = objectOf(part.state);
    const callId = textOf(part.callID) ?? textOf(part.id);
    const tool = textOf(part.tool);
    const command = tool === 'bash' ? textOf(fieldAt(state.input, 'command')) : undefined;
    const action = actionOf(opencodeActions, tool ?? '');
    this.#trace.arrived(`calls of ${String(part.messageID)}`);
    if (state.status !== 'completed' && state.status !== 'error')
      this.#trace.gap(['tool-results'], `the state of a tool call is not known: ${String(state.status)}`);
    this.#trace.toolCall({ callId, tool, input: state.input, ...action, ...(command && { shellCommand: command }) });
    const isError = state.status === 'error';
    const text = (isError ? textOf(state.error) : textOf(state.output)) ?? '';
    const exitCode = numberOf(fieldAt(state.metadata, 'exit')) ?? null;
    const answer = tool === 'bash' ? shellAnswer(text, exitCode, isError) : toolAnswer(text, isError);
    this.#trace.toolResult({ callId, durationMs: durationOf(state.time), ...answer });
  }

  #stepFinish(part: JsonObject): void {
    const { reason, messageID } = part;
    this.#isBetweenSteps = reason === 'tool-calls';
    this.#trace.arrived(`end of ${String(messageID)}`);
    this.#trace.stopReason(reason);
    if (!finishReasons.has(reason)) this.#trace.unknown(`step_finish/${String(reason)}`, part);
    if (reason === 'tool-calls')
      this.#trace.announce(`calls of ${String(messageID)}`, ofCalls, 'a step made tool calls that are not reported');
    this.#trace.usage({ ...tokensIn(objectOf(part.tokens)), costUsd: part.cost });
  }
}

/** Whether reasoning is part of the output differs by version; the total always has it. */
function tokensIn({ input, output, reasoning, cache, total }: JsonObject): ReportedUsage {
  const [read, written] = [fieldAt(cache, 'read'), fieldAt(cache, 'write')];
  const inputTokens = addUp(input, read, written);
  const apart = typeof total === 'number' ? total - Number(inputTokens) - Number(output) : 0;
  return {
    inputTokens,
    cachedInputTokens: read,
    cacheWriteInputTokens: written,
    outputTokens: addUp(output, apart === reasoning ? apart : undefined),
    reasoningTokens: reasoning,
    totalTokens: total,
  };
}

function durationOf(time: unknown): number | undefined {
  const start = numberOf(fieldAt(time, 'start'));
  const end = numberOf(fieldAt(time, 'end'));
  return start === undefined || end === undefined ? undefined : Math.max(0, end - start);
}

function errorOf(error: JsonObject): ReportedError {
  const message = textOf(fieldAt(error.data, 'message')) ?? textOf(error.message) ?? textOf(error.name);
  return { message: message ?? 'it reported an error', status: numberOf(fieldAt(error.data, 'statusCode')) };
}

const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
};

const keyVariables = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENROUTER_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENCODE_API_KEY',
];

/** OpenCode, which works with many providers. */
export const opencode = defineStreamAgent({
  name: 'opencode',
  summary: 'OpenCode, run with `run --format json`',
  program: 'opencode',
  versionArguments: ['--version'],
  oldestVersion: '1.0.0',
  install: 'npm install -g opencode-ai',
  npmPackage: 'opencode-ai',
  inheritedVariables: [...keyVariables, 'OPENAI_BASE_URL'],
  keyVariables,
  reports: { work: 'live', usage: 'live', actions: opencodeActions },
  modelApi: openaiApi('openai-chat', null),
  instructions: { files: ['AGENTS.md', 'CLAUDE.md'], skillFolders: ['.opencode/skills', '.claude/skills'] },
  harness: { subagents: describedSubagents('.config/opencode/agent') },

  async launch(session) {
    const { settings, home, prompt } = session;
    await writeHomeFile(home, '.config/opencode/opencode.json', opencodeConfig(session));
    const argv: [string, ...string[]] = [session.program, ...['run', '--format', 'json'], ...settings.args];
    const env = { ...quiet, ...foldersIn(home), ...setVariables({ OPENAI_API_KEY: settings.apiKey }) };
    // As an argument, it would be put into quotes before the model gets it.
    return { argv, env, stdin: prompt };
  },

  openStream: openOpencodeStream,
});

/** Wherever else the environment points, the agent finds its files in its own home. */
function foldersIn(home: string): Record<string, string> {
  return {
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
  };
}
