import { dirname } from 'node:path';
import { stringify } from 'smol-toml';
import type { AgentMcpServer, AgentSession } from '../agent.ts';
import { openaiApi, openaiUrl, setVariables } from '../agent-environment.ts';
import { writeHomeFile } from '../agent-home.ts';
import type { HarnessWay } from '../harness.ts';
import { fieldAt, objectOf } from '../json-shapes.ts';
import type { SessionFiles } from '../session-usage.ts';
import { defineStreamAgent, fitsArgument } from '../stream-agent.ts';
import { codexActions, codexUsage, openCodexStream } from './codex-stream.ts';

/** The config file of Codex: it names the provider explicitly, so its key comes from the environment without a login. */
function codexConfig({ settings, env, model, mcpServers }: AgentSession): string {
  const servers = Object.entries(mcpServers).map(([name, server]) => [name, mcpServer(server)]);
  return stringify({
    ...(model === undefined ? {} : { model }),
    model_provider: 'assay',
    check_for_update_on_startup: false,
    analytics: { enabled: false },
    model_providers: {
      assay: {
        name: 'assay',
        base_url: settings.baseUrl ?? settings.env.OPENAI_BASE_URL ?? env.OPENAI_BASE_URL ?? openaiUrl,
        env_key: 'OPENAI_API_KEY',
        wire_api: 'responses',
      },
    },
    mcp_servers: Object.fromEntries(servers),
  });
}

/** It works without servers that are slow to start, and then chance decides which tools its model is offered. */
const startLimit = { startup_timeout_sec: 30, required: true };

function mcpServer(server: AgentMcpServer): object {
  return { ...('url' in server ? { url: server.url, http_headers: server.headers } : server), ...startLimit };
}

/** Codex writes the sum of its tokens into its session after each request, and prints it only at its end. */
const codexSession: SessionFiles = {
  folder: '.codex/sessions',
  isSession: (name) => name.startsWith('rollout-') && name.endsWith('.jsonl'),
  readLine(line, sum, { file }) {
    const total = objectOf(fieldAt(line, 'payload', 'info', 'total_token_usage'));
    // Before the first reply there is nothing to count.
    if (fieldAt(line, 'payload', 'type') === 'token_count' && total.input_tokens) sum.note(file, codexUsage(total));
  },
};

/** `codex exec` never asks, so its permission mode is its sandbox. */
function permission({ harness }: AgentSession): string[] {
  const mode = harness?.config.permission_mode;
  return mode === undefined ? ['--dangerously-bypass-approvals-and-sandbox'] : ['--sandbox', mode];
}

/** It describes its sandbox to its model. */
const sandboxWay: HarnessWay = {
  requested: ({ name }, request) =>
    request.includes(`\`sandbox_mode\` is \`${name}\``) ? 'its sandbox, in a request to the model' : undefined,
};

/** Codex of OpenAI. */
export const codex = defineStreamAgent({
  name: 'codex',
  summary: 'Codex of OpenAI, run with exec',
  program: 'codex',
  versionArguments: ['--version'],
  oldestVersion: '0.44.0',
  install: 'npm install -g @openai/codex',
  npmPackage: '@openai/codex',
  inheritedVariables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  keyVariables: ['OPENAI_API_KEY'],
  reports: { work: 'live', usage: 'live', actions: codexActions },
  modelApi: openaiApi('openai-responses', openaiUrl),
  instructions: { files: ['AGENTS.md'], skillFolders: ['.agents/skills'] },
  harness: { permission_mode: sandboxWay },

  async launch(session) {
    const { settings, prompt } = session;
    const config = await writeHomeFile(session.home, '.codex/config.toml', codexConfig(session));
    const isArgument = fitsArgument(prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['exec', '--json', '--skip-git-repo-check', ...permission(session)],
      ...settings.args,
      ...(isArgument ? ['--', prompt] : ['-']),
    ];
    const env = setVariables({ CODEX_HOME: dirname(config), OPENAI_API_KEY: settings.apiKey });
    return { argv, env, stdin: isArgument ? '' : prompt };
  },

  openStream: openCodexStream,
  sessionFiles: codexSession,
});
