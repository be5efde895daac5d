import type { EmitTrace } from '../../../domain/trace.ts';
import type { AgentActions } from '../actions.ts';
import type { NoteUsage, OpenAgentStream } from '../agent.ts';
import { openaiApi, openaiUrl, setVariables } from '../agent-environment.ts';
import { writeHomeFile } from '../agent-home.ts';
import { printedExitCode } from '../agent-trace.ts';
import { geminiPrompt, geminiSettings } from '../gemini/gemini.ts';
import { listedWay } from '../harness.ts';
import { openJsonLines } from '../json-line-stream.ts';
import { MessagesReader } from '../messages-reader.ts';
import type { MessagesDialect } from '../messages-usage.ts';
import { defineStreamAgent } from '../stream-agent.ts';

/** Tools of Qwen Code 0.15; the work of sub-agents names the call that started them. */
export const qwenActions: AgentActions = {
  tools: {
    run_shell_command: 'shell',
    monitor: 'shell',
    read_file: 'read',
    read_many_files: 'read',
    edit: 'edit',
    write_file: 'edit',
    notebook_edit: 'edit',
    glob: 'search',
    grep_search: 'search',
    list_directory: 'search',
    web_search: 'search',
    web_fetch: 'fetch',
    skill: 'skill',
    agent: 'delegate',
    task: 'delegate',
    send_message: 'delegate',
    ask_user_question: 'other',
    exit_plan_mode: 'other',
    save_memory: 'other',
    task_stop: 'other',
    todo_write: 'other',
    tool_search: 'other',
  },
  subagents: 'reported',
};

const qwenDialect: MessagesDialect = {
  shellTool: 'run_shell_command',
  actions: qwenActions,

  /** A command that fails is not an error of the tool, so only the text of the output shows it. */
  exitCodeOf: ({ text }) => printedExitCode(text),

  /** Its input tokens include those from the cache already. */
  usageOf: (usage) => ({
    inputTokens: usage.input_tokens,
    cachedInputTokens: usage.cache_read_input_tokens,
    outputTokens: usage.output_tokens,
    totalTokens: usage.total_tokens,
  }),

  isProviderError: (_line, text) => text.startsWith('[API Error: '),
};

/** Reads the output of Qwen Code. */
export const openQwenStream = ((emit: EmitTrace, noteUsage?: NoteUsage) =>
  openJsonLines(emit, (trace) => new MessagesReader(trace, qwenDialect, noteUsage))) satisfies OpenAgentStream;

/** Qwen Code of Alibaba. */
export const qwen = defineStreamAgent({
  name: 'qwen',
  summary: 'Qwen Code of Alibaba with any OpenAI-compatible model, run with -p',
  program: 'qwen',
  versionArguments: ['--version'],
  install: 'npm install -g @qwen-code/qwen-code',
  npmPackage: '@qwen-code/qwen-code',
  inheritedVariables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'],
  keyVariables: ['OPENAI_API_KEY'],
  reports: { work: 'live', usage: 'live', actions: qwenActions },
  modelApi: openaiApi('openai-chat', openaiUrl),
  instructions: { files: ['QWEN.md', 'AGENTS.md'], skillFolders: ['.qwen/skills'] },
  harness: { subagents: listedWay('agents', '.qwen/agents'), permission_mode: listedWay('permission_mode') },
  limitsTurns: true,

  async launch(session) {
    const { settings } = session;
    await writeHomeFile(session.home, '.qwen/settings.json', geminiSettings(session, 'openai'));
    const { args, stdin } = geminiPrompt(session.prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...[
        '--auth-type',
        'openai',
        '--output-format',
        'stream-json',
        '--approval-mode',
        session.harness?.config.permission_mode ?? 'yolo',
      ],
      ...settings.args,
      ...args,
    ];
    const env = setVariables({
      OPENAI_MODEL: session.model,
      OPENAI_BASE_URL: settings.baseUrl,
      OPENAI_API_KEY: settings.apiKey,
    });
    return { argv, env, stdin };
  },

  openStream: openQwenStream,
});
