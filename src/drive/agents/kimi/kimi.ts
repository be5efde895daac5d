import { dirname } from 'node:path';
import { stringify } from 'smol-toml';
import type { Loss } from '../../../domain/loss.ts';
import type { WireCall, WirePart } from '../../wire/codec.ts';
import { readBlocks } from '../../wire/content-blocks.ts';
import { readCalls } from '../../wire/listed-calls.ts';
import { callsOf, textOf as spokenText, tracedArguments } from '../../wire/values.ts';
import { type AgentActions, actionOf } from '../actions.ts';
import type { AgentExit, AgentReport, AgentSession, OpenAgentStream } from '../agent.ts';
import { openaiApi, openaiBaseUrl, openaiKey, openaiUrl } from '../agent-environment.ts';
import { removingFiles, writeHomeFile } from '../agent-home.ts';
import { type AgentTrace, ofWork, shellAnswer, toolAnswer } from '../agent-trace.ts';
import { concludeFromTrace, type ReportedError } from '../conclude.ts';
import { type JsonLineReader, openJsonLines, repeated } from '../json-line-stream.ts';
import { addUp, contentText, fieldAt, type JsonObject, listOf, numberOf, objectOf, textOf } from '../json-shapes.ts';
import type { SessionFiles } from '../session-usage.ts';
import { defineStreamAgent } from '../stream-agent.ts';

/** Kimi Code prints no tokens, and writes those of each request into its session, under our name for the model. */
const kimiSession: SessionFiles = {
  folder: '.kimi-code/sessions',
  isSession: (name) => name === 'wire.jsonl',
  readLine(line, sum, { place }) {
    if (line.type !== 'usage.record') return;
    const { inputOther, inputCacheRead, inputCacheCreation, output } = objectOf(line.usage);
    sum.note(place, {
      inputTokens: addUp(inputOther, inputCacheRead, inputCacheCreation),
      cachedInputTokens: inputCacheRead,
      cacheWriteInputTokens: inputCacheCreation,
      outputTokens: output,
    });
  },
};

/** Reads messages in the format of OpenAI's chat API: no usage, no exit codes, and the last error on stderr only. */
export const openKimiStream = ((emit) =>
  openJsonLines(emit, (trace) => new KimiReader(trace))) satisfies OpenAgentStream;

/** Tools of Kimi Code 2.1 and of the Kimi CLI before it; the work of sub-agents is not printed. */
export const kimiActions: AgentActions = {
  tools: {
    Bash: 'shell',
    Shell: 'shell',
    Read: 'read',
    ReadFile: 'read',
    ReadMediaFile: 'read',
    Edit: 'edit',
    StrReplaceFile: 'edit',
    Write: 'edit',
    WriteFile: 'edit',
    Glob: 'search',
    Grep: 'search',
    SearchWeb: 'search',
    FetchURL: 'fetch',
    Skill: 'skill',
    Agent: 'delegate',
    AgentSwarm: 'delegate',
    Task: 'delegate',
    AskUserQuestion: 'other',
    CreateGoal: 'other',
    CronCreate: 'other',
    CronDelete: 'other',
    CronList: 'other',
    EnterPlanMode: 'other',
    ExitPlanMode: 'other',
    GetGoal: 'other',
    SetGoalBudget: 'other',
    SetTodoList: 'other',
    TaskList: 'other',
    TaskOutput: 'other',
    TaskStop: 'other',
    Think: 'other',
    TodoList: 'other',
    UpdateGoal: 'other',
    WaitFor: 'other',
  },
  subagents: 'hidden',
};

class KimiReader implements JsonLineReader {
  readonly lineChannels = ofWork;
  readonly #trace: AgentTrace;
  readonly #shellCalls = new Set<string | undefined>();
  /** The failure of the provider after which no message has come yet. */
  #providerError: ReportedError | undefined;

  readonly handlers = {
    assistant: (line: JsonObject): void => this.#assistant(line),
    tool: (line: JsonObject): void => this.#tool(line),
    user: repeated,
    'system.version': repeated,
    'session.resume_hint': (): void => {
      this.isClosed = true;
    },
    'turn.step.retrying': (line: JsonObject): void => this.#retrying(line),
  };
  isClosed = false;

  constructor(trace: AgentTrace) {
    this.#trace = trace;
  }

  kindOf(line: JsonObject): string | undefined {
    return line.role === 'meta' ? textOf(line.type) : (textOf(line.role) ?? textOf(line.type));
  }

  /** Only messages with calls are numbered, by their calls. */
  idOf(line: JsonObject): string | undefined {
    const ids = listOf(line.tool_calls).map((call) => fieldAt(call, 'id'));
    return line.role === 'assistant' && ids.length > 0 ? ids.join(' ') : undefined;
  }

  get isOver(): boolean {
    return this.isClosed;
  }

  /** After a failure it prints why on stderr, and nothing else. */
  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    const message = exit.exitCode === 0 ? undefined : /^error: (.+)$/m.exec(stderrTail)?.[1];
    this.isClosed ||= message !== undefined;
    const reportedError = this.#providerError ?? (message ? { message } : undefined);
    return concludeFromTrace(this.#trace, { exit, reportedError, stderrTail });
  }

  #retrying(line: JsonObject): void {
    const message = textOf(line.error_message) ?? textOf(line.error_name) ?? 'the provider failed';
    this.#providerError = { message, status: numberOf(line.status_code), isProviders: true };
    this.#trace.notice(`the model could not be reached: ${message}`);
  }

  #assistant(line: JsonObject): void {
    this.#providerError = undefined;
    this.#trace.beginTurn();
    const hasNone = (line.content ?? null) === null && listOf(line.tool_calls).length > 0;
    if (typeof line.content !== 'string' && !Array.isArray(line.content) && !hasNone)
      this.#trace.gap(['answers'], 'a message of the agent has no content');
    const unplaced: Loss[] = [];
    const parts = [...readBlocks(line.content, 'content', unplaced), ...readCalls(line, 'message', unplaced, () => '')];
    for (const { channels, reason } of unplaced) this.#trace.gap(channels, reason);
    this.#trace.reasoning(textOf(line.reasoning_content) ?? thoughtsIn(parts));
    this.#trace.assistant(spokenText(parts, '\n'));
    for (const call of callsOf(parts)) this.#toolCall(call);
  }

  #toolCall(call: WireCall): void {
    const callId = textOf(call.callId);
    const tool = textOf(call.tool);
    const input = tracedArguments(call);
    const action = actionOf(kimiActions, call.tool);
    const command = action.kind === 'shell' ? textOf(fieldAt(input, 'command')) : undefined;
    if (command !== undefined) this.#shellCalls.add(callId);
    this.#trace.toolCall({ callId, tool, input, ...action, ...(command && { shellCommand: command }) });
  }

  #tool(line: JsonObject): void {
    const callId = textOf(line.tool_call_id);
    const text = contentText(line.content);
    const answer = this.#shellCalls.has(callId) ? shellAnswer(text, exitCodeIn(text), false) : toolAnswer(text, false);
    this.#trace.toolResult({ callId, ...answer });
  }
}

function thoughtsIn(parts: readonly WirePart[]): string {
  return parts.map((part) => (part.kind === 'thinking' ? part.text : '')).join('');
}

/** It reports an exit code only as text, and only for a command that failed. */
function exitCodeIn(text: string): number | null {
  const code = /Command failed with exit code:? (\d{1,3})\b/.exec(text.slice(-300))?.[1];
  return code === undefined ? null : Number(code);
}

const moonshotKeys = ['KIMI_API_KEY', 'MOONSHOT_API_KEY'];

const configFile = '.kimi-code/config.toml';

const kimiCode = defineStreamAgent({
  name: 'kimi',
  summary: 'Kimi Code of Moonshot, run with -p',
  program: 'kimi',
  versionArguments: ['--version'],
  oldestVersion: '2.0.0',
  install: 'npm install -g @moonshot-ai/kimi-code',
  npmPackage: '@moonshot-ai/kimi-code',
  inheritedVariables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', ...moonshotKeys],
  keyVariables: ['OPENAI_API_KEY', ...moonshotKeys],
  reports: { work: 'live', usage: 'live', actions: kimiActions },
  modelApi: openaiApi('openai-chat', null),
  instructions: { files: ['AGENTS.md'], skillFolders: ['.kimi/skills'] },

  async launch(session) {
    const config = await writeHomeFile(session.home, configFile, kimiConfig(session));
    // Its form of the file is the common one: a command with its arguments, or an address with its headers.
    const servers = JSON.stringify({ mcpServers: session.mcpServers });
    await writeHomeFile(session.home, '.kimi-code/mcp.json', servers);
    const argv: [string, ...string[]] = [
      session.program,
      ...['-p', session.prompt, '--output-format', 'stream-json', '-m', 'assay'],
      ...session.settings.args,
    ];
    return { argv, env: { KIMI_CODE_HOME: dirname(config) } };
  },

  openStream: openKimiStream,
  sessionFiles: kimiSession,
});

/** Kimi Code of Moonshot. It reads its key from its config file only, and that file is removed after its end. */
export const kimi = removingFiles(kimiCode, configFile);

function kimiConfig(session: AgentSession): string {
  return stringify({
    default_model: 'assay',
    telemetry: false,
    providers: { assay: providerOf(session) },
    models: {
      assay: { provider: 'assay', model: session.model ?? 'kimi-for-coding', max_context_size: 128_000 },
    },
  });
}

function providerOf(session: AgentSession): Record<string, string> {
  const { settings, env } = session;
  const url = openaiBaseUrl(session);
  const key = openaiKey(session);
  if (url !== undefined || key !== '') return { type: 'openai', base_url: url ?? openaiUrl, api_key: key };
  const kimiKey = settings.env.KIMI_API_KEY ?? env.KIMI_API_KEY;
  if (kimiKey !== undefined) return { type: 'kimi', base_url: 'https://api.kimi.com/coding/v1', api_key: kimiKey };
  const moonshotKey = settings.env.MOONSHOT_API_KEY ?? env.MOONSHOT_API_KEY ?? '';
  return { type: 'kimi', base_url: 'https://api.moonshot.ai/v1', api_key: moonshotKey };
}
