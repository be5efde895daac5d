import type { AgentMcpServer, AgentSession } from '../agent.ts';
import { setVariables } from '../agent-environment.ts';
import { writeHomeFile } from '../agent-home.ts';
import { describedSubagents, type HarnessWay } from '../harness.ts';
import { objectOf, textOf } from '../json-shapes.ts';
import type { SessionFiles } from '../session-usage.ts';
import { defineStreamAgent, fitsArgument } from '../stream-agent.ts';
import { geminiActions, geminiUsage, openGeminiStream } from './gemini-stream.ts';

/** Gemini CLI writes each reply with its tokens into its session, and prints their sum only at its end. */
const geminiSession: SessionFiles = {
  folder: '.gemini/tmp',
  isSession: (name) => name.startsWith('session-') && name.endsWith('.jsonl'),
  readLine(line, sum, { file, place }) {
    if (line.type !== 'gemini' || line.tokens === undefined) return;
    const { input: input_tokens, output: output_tokens, cached, total: total_tokens } = objectOf(line.tokens);
    const usage = geminiUsage({ input_tokens, output_tokens, cached, total_tokens });
    sum.note(`${file} ${textOf(line.id) ?? place}`, { model: textOf(line.model), ...usage });
  },
};

/** The settings file of Gemini CLI and its forks: no questions, no telemetry. */
export function geminiSettings(session: AgentSession, authType: string): string {
  const servers = Object.entries(session.mcpServers).map(([name, server]) => [name, mcpServer(server)]);
  return JSON.stringify({
    security: { auth: { selectedType: authType }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    model: {
      ...(session.model === undefined ? {} : { name: session.model }),
      ...(session.maxTurns === undefined ? {} : { maxSessionTurns: session.maxTurns }),
    },
    mcpServers: Object.fromEntries(servers),
    ...(session.harness?.config.subagents && { experimental: { enableAgents: true } }),
  });
}

function mcpServer(server: AgentMcpServer): object {
  if (!('url' in server)) return { ...server, trust: true };
  return { httpUrl: server.url, headers: server.headers, trust: true };
}

/** How the prompt gets there: as an argument, or through stdin when it is too long for one. */
export function geminiPrompt(prompt: string): { readonly args: readonly string[]; readonly stdin: string } {
  if (!fitsArgument(prompt)) return { args: [], stdin: prompt };
  // A prompt that begins with a dash would be parsed as an option.
  return { args: prompt.startsWith('-') ? [`--prompt=${prompt}`] : ['-p', prompt], stdin: '' };
}

/** An extension is seen by its context file; one without it is in no request. */
const extensions: HarnessWay = {
  folder: '.gemini/extensions',
  requested: ({ description = '' }, request) =>
    description !== '' && request.includes(description) ? 'its context file, in a request to the model' : undefined,
};

/** Gemini CLI of Google. */
export const gemini = defineStreamAgent({
  name: 'gemini',
  summary: 'Gemini CLI of Google, run with -p',
  program: 'gemini',
  versionArguments: ['--version'],
  oldestVersion: '0.11.0',
  install: 'npm install -g @google/gemini-cli',
  npmPackage: '@google/gemini-cli',
  inheritedVariables: ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_MODEL'],
  keyVariables: ['GEMINI_API_KEY'],
  reports: { work: 'live', usage: 'live', actions: geminiActions },
  modelApi: {
    api: 'gemini',
    defaultUrl: 'https://generativelanguage.googleapis.com',
    urlVariables: ['GOOGLE_GEMINI_BASE_URL'],
    keyVariables: ['GEMINI_API_KEY'],
  },
  instructions: { files: ['GEMINI.md'], skillFolders: ['.gemini/skills'] },
  harness: {
    subagents: describedSubagents('.gemini/agents'),
    plugins: extensions,
  },
  limitsTurns: true,

  async launch(session) {
    const { settings, model } = session;
    await writeHomeFile(session.home, '.gemini/settings.json', geminiSettings(session, 'gemini-api-key'));
    const { args, stdin } = geminiPrompt(session.prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['--output-format', 'stream-json', '--approval-mode', 'yolo'],
      ...(model === undefined ? [] : ['-m', model]),
      ...settings.args,
      ...args,
    ];
    const reached = setVariables({ GOOGLE_GEMINI_BASE_URL: settings.baseUrl, GEMINI_API_KEY: settings.apiKey });
    return { argv, env: { GEMINI_CLI_TRUST_WORKSPACE: 'true', ...reached }, stdin };
  },

  openStream: openGeminiStream,
  sessionFiles: geminiSession,
});
