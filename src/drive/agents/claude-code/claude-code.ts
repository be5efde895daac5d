import type { AgentMcpServer, AgentSession } from '../agent.ts';
import { writeHomeFile } from '../home-files.ts';
import { setVariables } from '../set-variables.ts';
import { defineStreamAgent, fitsArgument } from '../stream-agent.ts';
import { openClaudeStream } from './claude-stream.ts';

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

/** Claude Code of Anthropic. */
export const claudeCode = defineStreamAgent({
  name: 'claude-code',
  summary: 'Claude Code of Anthropic, run with -p',
  program: 'claude',
  versionArguments: ['--version'],
  oldestVersion: '2.0.0',
  install: 'npm install -g @anthropic-ai/claude-code',
  inheritedVariables: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'CLAUDE_CODE_OAUTH_TOKEN',
  ],
  keyVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  reports: { work: 'live', usage: 'live' },
  limitsTurns: true,

  async launch(session) {
    const { settings, prompt } = session;
    const isArgument = fitsArgument(prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'],
      ...(session.model === undefined ? [] : ['--model', session.model]),
      ...(session.maxTurns === undefined ? [] : ['--max-turns', String(session.maxTurns)]),
      ...(await mcpArguments(session)),
      ...settings.args,
      ...(isArgument ? ['--', prompt] : []),
    ];
    const reached = setVariables({ ANTHROPIC_BASE_URL: settings.baseUrl, ANTHROPIC_API_KEY: settings.apiKey });
    return { argv, env: { ...quiet, ...reached }, stdin: isArgument ? '' : prompt };
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
