import type { Channel } from '../../../domain/capability.ts';
import { type AgentActions, actionOf } from '../actions.ts';
import type { AgentExit, AgentMcpServer, AgentReport, AgentSession, OpenAgentStream } from '../agent.ts';
import { modelOf, setVariables } from '../agent-environment.ts';
import { writeHomeFile } from '../agent-home.ts';
import { type AgentTrace, type SubagentCall, shellAnswer, toolAnswer, unnamedSubagent } from '../agent-trace.ts';
import { concludeFromTrace, type ReportedError } from '../conclude.ts';
import { type JsonLineReader, openJsonLines, repeated } from '../json-line-stream.ts';
import { fieldAt, type JsonObject, listOf, numberOf, objectOf, textOf } from '../json-shapes.ts';
import type { SessionFiles } from '../session-usage.ts';
import { defineStreamAgent, fitsArgument } from '../stream-agent.ts';

/** Copilot prints no tokens where it has no account, and writes those of each request into its session. */
const copilotSession: SessionFiles = {
  folder: '.copilot/session-state',
  isSession: (name) => name === 'events.jsonl',
  readLine(line, sum, { file, place }) {
    if (line.type !== 'session.usage_record') return;
    const usage = objectOf(fieldAt(line, 'data', 'usage'));
    sum.note(`${file} ${textOf(usage.apiCallId) ?? textOf(line.id) ?? place}`, tokensIn(usage));
  },
};

function tokensIn(usage: JsonObject) {
  return {
    model: textOf(usage.model),
    inputTokens: usage.inputTokens,
    cachedInputTokens: usage.cacheReadTokens,
    cacheWriteInputTokens: usage.cacheWriteTokens,
    outputTokens: usage.outputTokens,
  };
}

/** Reads `session.* > assistant.turn_start > assistant.message > tool.execution_* > … > result`. */
export const openCopilotStream = ((emit) =>
  openJsonLines(emit, (trace) => new CopilotReader(trace))) satisfies OpenAgentStream;

/** Tools of the Copilot CLI 1.0; the work of sub-agents names the call that started them. */
export const copilotActions: AgentActions = {
  tools: {
    bash: 'shell',
    local_shell: 'shell',
    powershell: 'shell',
    shell: 'shell',
    write_bash: 'shell',
    write_powershell: 'shell',
    view: 'read',
    apply_patch: 'edit',
    create: 'edit',
    edit: 'edit',
    glob: 'search',
    grep: 'search',
    web_search: 'search',
    web_fetch: 'fetch',
    skill: 'skill',
    task: 'delegate',
    write_agent: 'delegate',
    ask_user: 'other',
    fetch_copilot_cli_documentation: 'other',
    list_agents: 'other',
    list_bash: 'other',
    list_powershell: 'other',
    read_agent: 'other',
    read_bash: 'other',
    read_powershell: 'other',
    report_intent: 'other',
    session_store_sql: 'other',
    sql: 'other',
    stop_bash: 'other',
    stop_powershell: 'other',
    store_memory: 'other',
    update_todo: 'other',
  },
  subagents: 'reported',
};

const ofCalls: readonly Channel[] = ['tool-calls', 'tool-results'];
const ofReplies: readonly Channel[] = ['answers', 'tool-calls'];

/** Events about its window, its settings and its hooks. */
const bookkept = /^(?:abort|hook\.|permission\.|pending_messages\.|session\.|skill\.|subagent\.|system\.)/;

class CopilotReader implements JsonLineReader {
  readonly #trace: AgentTrace;
  readonly #shellCalls = new Set<string | undefined>();
  /** Their names, by the calls that started them. */
  readonly #subagents = new Map<string, string>();
  /** The last failure, as long as no later message has shown a recovery. */
  #reportedError: ReportedError | undefined;
  #closingExitCode: number | undefined;

  readonly handlers = {
    'user.message': repeated,
    'assistant.turn_start': (line: JsonObject): void => this.#turnStart(objectOf(line.data)),
    'assistant.turn_end': repeated,
    'assistant.message_start': (line: JsonObject): void => this.#announce(objectOf(line.data)),
    'assistant.message_delta': (line: JsonObject): void => this.#announce(objectOf(line.data)),
    'assistant.message': (line: JsonObject): void => this.#message(objectOf(line.data)),
    'assistant.reasoning': (line: JsonObject): void =>
      this.#trace.reasoning(textOf(fieldAt(line, 'data', 'content')) ?? ''),
    'assistant.usage': (line: JsonObject): void => void this.#trace.usage(tokensIn(objectOf(line.data))),
    'tool.execution_start': (line: JsonObject): void => this.#toolStart(objectOf(line.data)),
    'tool.execution_complete': (line: JsonObject): void => this.#toolEnd(objectOf(line.data)),
    'subagent.started': (line: JsonObject): void => this.#subagentStarted(objectOf(line.data)),
    'model.call_failure': (line: JsonObject): void => this.#failure(fieldAt(line, 'data', 'errorMessage'), line, true),
    'session.error': (line: JsonObject): void => this.#failure(fieldAt(line, 'data', 'message'), line),
    result: (line: JsonObject): void => {
      this.isClosed = true;
      this.#closingExitCode = numberOf(line.exitCode);
    },
    passing: repeated,
  };
  isClosed = false;
  #turn = '';

  constructor(trace: AgentTrace) {
    this.#trace = trace;
  }

  /** Most events are marked as passing by the agent itself: parts of messages, and what its window shows. */
  kindOf(line: JsonObject): string | undefined {
    const kind = textOf(line.type);
    if (kind !== undefined && Object.hasOwn(this.handlers, kind)) return kind;
    return line.ephemeral === true ? 'passing' : kind;
  }

  isBookkeeping(kind: string): boolean {
    return bookkept.test(kind);
  }

  idOf(line: JsonObject): string | undefined {
    return textOf(line.id);
  }

  get isOver(): boolean {
    return this.isClosed;
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    const code = this.#closingExitCode ?? 0;
    const closing = code === 0 ? undefined : { message: `it reports exit code ${code}` };
    return concludeFromTrace(this.#trace, { exit, reportedError: this.#reportedError ?? closing, stderrTail });
  }

  #failure(message: unknown, line: JsonObject, isProviders = this.#reportedError?.isProviders): void {
    // A turn whose request failed has no message.
    this.#trace.arrived(this.#turn);
    const status = numberOf(fieldAt(line, 'data', 'statusCode'));
    this.#reportedError = { message: textOf(message) ?? 'it reported an error', status, isProviders };
  }

  #subagentStarted(data: JsonObject): void {
    const callId = textOf(data.toolCallId);
    const name = textOf(data.agentName);
    if (callId !== undefined && name !== undefined) this.#subagents.set(callId, name);
    this.#trace.other('subagent.started', data);
  }

  #turnStart(data: JsonObject): void {
    this.#trace.beginTurn();
    this.#turn = turnOf(data);
    this.#trace.announce(this.#turn, ofReplies, 'a message of the agent is missing');
  }

  #announce({ messageId }: JsonObject): void {
    this.#trace.announce(`message ${String(messageId)}`, ofReplies, 'a message of the agent is missing');
  }

  #message(data: JsonObject): void {
    this.#reportedError = undefined;
    this.#trace.arrived(`message ${String(data.messageId)}`);
    this.#trace.arrived(turnOf(data));
    for (const request of listOf(data.toolRequests))
      this.#trace.announce(`call ${String(fieldAt(request, 'toolCallId'))}`, ofCalls, 'a tool call is missing');
    if (typeof data.content !== 'string') this.#trace.gap(['answers'], 'a message of the agent has no content');
    const subagent = this.#subagent(data);
    if (subagent.actor !== undefined) {
      this.#trace.subagentMessage({ ...subagent, role: 'assistant', text: textOf(data.content) ?? '' });
      return;
    }
    this.#trace.reasoning(textOf(data.reasoningText) ?? '');
    this.#trace.assistant(textOf(data.content) ?? '');
  }

  #toolStart(data: JsonObject): void {
    const callId = textOf(data.toolCallId);
    const tool = textOf(data.toolName);
    const action = textOf(data.mcpServerName) ? ({ kind: 'mcp' } as const) : actionOf(copilotActions, tool ?? '');
    const call = { callId, tool, input: data.arguments, ...action, ...this.#subagent(data) };
    const command = action.kind === 'shell' ? textOf(fieldAt(data.arguments, 'command')) : undefined;
    if (command !== undefined) this.#shellCalls.add(callId);
    this.#trace.toolCall({ ...call, ...(command && { shellCommand: command }) });
  }

  #subagent(data: JsonObject): SubagentCall {
    const parentCallId = textOf(data.parentToolCallId);
    if (parentCallId === undefined) return {};
    const actor = this.#subagents.get(parentCallId);
    if (actor === undefined) this.#trace.gap(['tool-calls'], 'the start of a sub-agent is missing');
    return { actor: actor ?? unnamedSubagent, parentCallId };
  }

  #toolEnd(data: JsonObject): void {
    const callId = textOf(data.toolCallId);
    const isError = data.success === false;
    const text = textOf(fieldAt(data.result, 'content')) ?? textOf(fieldAt(data.error, 'message')) ?? '';
    const exitCode = numberOf(fieldAt(data.shellExecution, 'exitCode')) ?? exitCodeIn(text);
    const answer = this.#shellCalls.has(callId) ? shellAnswer(text, exitCode, isError) : toolAnswer(text, isError);
    this.#trace.toolResult({ callId, ...answer });
  }
}

/** Each turn has a message, by which its words and its calls are known. */
function turnOf({ interactionId, turnId }: JsonObject): string {
  return `turn ${String(turnId)} of ${String(interactionId)}`;
}

function exitCodeIn(text: string): number | null {
  const code = /<(?:shellId: \S+ completed|exited) with exit code (\d{1,3})>\s*$/.exec(text.slice(-100))?.[1];
  return code === undefined ? null : Number(code);
}

const keyVariables = ['COPILOT_PROVIDER_API_KEY', 'COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'];

/** The Copilot CLI of GitHub, with its own models or with any OpenAI-compatible server. */
export const copilot = defineStreamAgent({
  name: 'copilot',
  summary: 'the Copilot CLI of GitHub, run with -p',
  program: 'copilot',
  versionArguments: ['--version'],
  oldestVersion: '1.0.0',
  install: 'npm install -g @github/copilot',
  npmPackage: '@github/copilot',
  inheritedVariables: [...keyVariables, 'COPILOT_PROVIDER_BASE_URL', 'COPILOT_PROVIDER_TYPE', 'COPILOT_MODEL'],
  keyVariables,
  reports: { work: 'live', usage: 'live', actions: copilotActions },
  modelApi: {
    api: 'openai-chat',
    defaultUrl: null,
    urlVariables: ['COPILOT_PROVIDER_BASE_URL'],
    keyVariables: ['COPILOT_PROVIDER_API_KEY'],
  },
  instructions: {
    files: ['AGENTS.md', '.github/copilot-instructions.md'],
    skillFolders: ['.github/skills', '.claude/skills'],
  },

  async launch(session) {
    const { settings, prompt } = session;
    const own = ownServer(session);
    const isArgument = fitsArgument(prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...[
        '--allow-all-tools',
        '--allow-all-paths',
        '--output-format',
        'json',
        '--no-auto-update',
        '--disable-client-telemetry',
      ],
      ...(session.model === undefined || own !== undefined ? [] : ['--model', session.model]),
      ...(await mcpArguments(session)),
      ...settings.args,
      // In one word, because a prompt that begins with a dash would be parsed as an option.
      ...(isArgument ? [`--prompt=${prompt}`] : []),
    ];
    return { argv, env: { ...own }, stdin: isArgument ? '' : prompt };
  },

  openStream: openCopilotStream,
  sessionFiles: copilotSession,
});

/** How it reaches a server that is not GitHub's; undefined when it is to use GitHub's. */
function ownServer(session: AgentSession): Record<string, string> | undefined {
  const { settings, env } = session;
  const baseUrl = settings.baseUrl ?? settings.env.COPILOT_PROVIDER_BASE_URL ?? env.COPILOT_PROVIDER_BASE_URL;
  if (baseUrl === undefined) return undefined;
  return setVariables({
    COPILOT_PROVIDER_BASE_URL: baseUrl,
    COPILOT_PROVIDER_TYPE: env.COPILOT_PROVIDER_TYPE ?? 'openai',
    COPILOT_PROVIDER_API_KEY: settings.apiKey,
    COPILOT_MODEL: session.model ?? env.COPILOT_MODEL ?? modelOf(session, 'copilot'),
    COPILOT_OFFLINE: 'true',
  });
}

async function mcpArguments({ mcpServers, home }: AgentSession): Promise<string[]> {
  if (Object.keys(mcpServers).length === 0) return [];
  const servers = Object.entries(mcpServers).map(([name, server]) => [name, mcpServer(server)]);
  const file = await writeHomeFile(home, 'mcp.json', JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
  return ['--additional-mcp-config', `@${file}`];
}

function mcpServer(server: AgentMcpServer): object {
  return { type: 'url' in server ? 'http' : 'local', ...server, tools: ['*'] };
}
