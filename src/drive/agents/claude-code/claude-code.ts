import type { EmitTrace } from '../../../domain/trace.ts';
import { countsIn } from '../../wire/reported-usage.ts';
import type { AgentActions } from '../actions.ts';
import type { AgentMcpServer, AgentSession, NoteUsage, OpenAgentStream } from '../agent.ts';
import { setVariables } from '../agent-environment.ts';
import { writeHomeFile } from '../agent-home.ts';
import { openJsonLines } from '../json-line-stream.ts';
import { objectOf, textOf } from '../json-shapes.ts';
import { MessagesReader } from '../messages-reader.ts';
import type { MessagesDialect } from '../messages-usage.ts';
import { defineStreamAgent, fitsArgument } from '../stream-agent.ts';
import { claudeHarness, harnessArguments } from './claude-harness.ts';
import { permissionArguments, permissionDialogue } from './permission-dialogue.ts';

/** Tools of Claude Code 2.0 to 2.1; the work of sub-agents names the call that started them. */
export const claudeActions: AgentActions = {
  tools: {
    Bash: 'shell',
    Read: 'read',
    NotebookRead: 'read',
    Edit: 'edit',
    MultiEdit: 'edit',
    Write: 'edit',
    NotebookEdit: 'edit',
    Glob: 'search',
    Grep: 'search',
    LS: 'search',
    WebSearch: 'search',
    WebFetch: 'fetch',
    Skill: 'skill',
    Agent: 'delegate',
    Task: 'delegate',
    SendMessage: 'delegate',
    Workflow: 'delegate',
    ListMcpResourcesTool: 'mcp',
    ReadMcpResourceTool: 'mcp',
    AskUserQuestion: 'other',
    BashOutput: 'other',
    CronCreate: 'other',
    CronDelete: 'other',
    CronList: 'other',
    EnterPlanMode: 'other',
    EnterWorktree: 'other',
    ExitPlanMode: 'other',
    ExitWorktree: 'other',
    KillBash: 'other',
    KillShell: 'other',
    ReportFindings: 'other',
    ScheduleWakeup: 'other',
    TaskCreate: 'other',
    TaskGet: 'other',
    TaskList: 'other',
    TaskOutput: 'other',
    TaskStop: 'other',
    TaskUpdate: 'other',
    TodoWrite: 'other',
    ToolSearch: 'other',
  },
  subagents: 'reported',
};

const claudeDialect: MessagesDialect = {
  shellTool: 'Bash',
  actions: claudeActions,

  exitCodeOf({ text, isError, details }) {
    const failed = /^(?:Error: )?Exit code (\d{1,3})\b/.exec(text)?.[1];
    if (isError) return failed === undefined ? null : Number(failed);
    // Some codes other than 0, such as that of a search without a match, are reported as text and not as an error.
    const isUnknown =
      details.interrupted === true ||
      textOf(details.returnCodeInterpretation) !== undefined ||
      textOf(details.backgroundTaskId) !== undefined;
    return isUnknown ? null : 0;
  },

  usageOf: countsIn,

  isProviderError(line) {
    const isSynthetic = objectOf(line.message).model === '<synthetic>';
    return line.is_api_error_message === true || (isSynthetic && line.error !== undefined);
  },
};

/** Reads the output of Claude Code. */
export const openClaudeStream = ((emit: EmitTrace, noteUsage?: NoteUsage) =>
  openJsonLines(emit, (trace) => new MessagesReader(trace, claudeDialect, noteUsage))) satisfies OpenAgentStream;

/** Reads the lines of a session that Claude Code stored. */
export const openClaudeSession = ((emit: EmitTrace) =>
  openJsonLines(
    emit,
    (trace) => new MessagesReader(trace, { ...claudeDialect, isStored: true }),
  )) satisfies OpenAgentStream;

const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  // It tries again ten times, over more than 90 seconds, even when the key is refused.
  CLAUDE_CODE_MAX_RETRIES: '2',
  // Without it, root may not run without asking for permission.
  IS_SANDBOX: '1',
};

/** It works without servers that are slow to start, and then chance decides which tools its model is offered. */
const waitForServers = { MCP_CONNECTION_NONBLOCKING: '0', MCP_CONNECT_TIMEOUT_MS: '30000' };

/** Claude Code of Anthropic. */
export const claudeCode = defineStreamAgent({
  name: 'claude-code',
  summary: 'Claude Code of Anthropic, run with -p',
  program: 'claude',
  versionArguments: ['--version'],
  oldestVersion: '2.0.0',
  install: 'npm install -g @anthropic-ai/claude-code',
  npmPackage: '@anthropic-ai/claude-code',
  inheritedVariables: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'CLAUDE_CODE_OAUTH_TOKEN',
  ],
  keyVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  reports: { work: 'live', usage: 'live', actions: claudeActions },
  modelApi: {
    api: 'anthropic-messages',
    defaultUrl: 'https://api.anthropic.com',
    urlVariables: ['ANTHROPIC_BASE_URL'],
    keyVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  },
  instructions: { files: ['CLAUDE.md'], skillFolders: ['.claude/skills'] },
  harness: claudeHarness,
  limitsTurns: true,
  asks: true,
  // Version 2.0 counts the results of tools as turns, and version 2.1 does not.
  countsOtherTurns: true,

  async launch(session) {
    const { settings, prompt, approver } = session;
    const dialogue = approver.hasPolicy ? permissionDialogue(prompt, approver, claudeActions) : undefined;
    const isArgument = !dialogue && fitsArgument(prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['-p', '--output-format', 'stream-json', '--verbose'],
      ...(dialogue ? permissionArguments : []),
      ...(await harnessArguments(session)),
      ...(session.model === undefined ? [] : ['--model', session.model]),
      ...(session.maxTurns === undefined ? [] : ['--max-turns', String(session.maxTurns)]),
      ...(await mcpArguments(session)),
      ...settings.args,
      ...(isArgument ? ['--', prompt] : []),
    ];
    const reached = setVariables({ ANTHROPIC_BASE_URL: settings.baseUrl, ANTHROPIC_API_KEY: settings.apiKey });
    const waiting = Object.keys(session.mcpServers).length === 0 ? {} : waitForServers;
    return {
      argv,
      env: { ...quiet, ...waiting, ...reached },
      stdin: isArgument ? '' : prompt,
      ...(dialogue && { dialogue }),
    };
  },

  openStream: openClaudeStream,
});

async function mcpArguments({ mcpServers, home }: AgentSession): Promise<string[]> {
  if (Object.keys(mcpServers).length === 0) return [];
  const servers = Object.entries(mcpServers).map(([name, server]) => [name, mcpServer(server)]);
  const file = await writeHomeFile(home, 'mcp.json', JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
  return ['--mcp-config', file, '--strict-mcp-config'];
}

function mcpServer(server: AgentMcpServer): object {
  return 'url' in server ? { type: 'http', ...server } : server;
}
