import { join } from 'node:path';
import type { AgentMcpServer, AgentSession } from '../agent.ts';
import { modelOf, openaiApi, openaiBaseUrl, openaiKey, openaiUrl } from '../agent-environment.ts';
import { removingFiles, writeHomeFile } from '../agent-home.ts';
import { defineStreamAgent, fitsArgument } from '../stream-agent.ts';
import { clineActions, openClineStream } from './cline-stream.ts';

const provider = 'openai-compatible';
const dataFolder = '.cline/data';
const providersFile = `${dataFolder}/settings/providers.json`;

const clineCli = defineStreamAgent({
  name: 'cline',
  summary: 'the Cline CLI, run with --json',
  program: 'cline',
  versionArguments: ['--version'],
  oldestVersion: '3.0.0',
  install: 'npm install -g cline',
  npmPackage: 'cline',
  inheritedVariables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  keyVariables: ['OPENAI_API_KEY'],
  reports: { work: 'live', usage: 'live', actions: clineActions },
  modelApi: openaiApi('openai-chat', openaiUrl),
  instructions: { files: ['.clinerules/AGENTS.md'], skillFolders: ['.cline/skills'] },

  async launch(session) {
    const { settings, home, prompt } = session;
    await writeHomeFile(home, providersFile, providers(session));
    await writeHomeFile(home, `${dataFolder}/settings/cline_mcp_settings.json`, mcpSettings(session));
    const isArgument = fitsArgument(prompt);
    const argv: [string, ...string[]] = [
      session.program,
      ...['--json', '-P', provider, '-m', modelOf(session, 'cline')],
      ...settings.args,
      ...(isArgument ? ['--', prompt] : []),
    ];
    return { argv, env: { CLINE_DATA_DIR: join(home, dataFolder) }, stdin: isArgument ? '' : prompt };
  },

  openStream: openClineStream,
});

/**
 * The Cline CLI. What its own `auth` command would write is written here, since that takes the key as an argument
 * that every user of the machine can read; the file is removed after its end.
 */
export const cline = removingFiles(clineCli, providersFile);

function providers(session: AgentSession): string {
  const settings = {
    provider,
    apiKey: openaiKey(session),
    model: modelOf(session, 'cline'),
    baseUrl: openaiBaseUrl(session) ?? openaiUrl,
  };
  const entry = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' };
  return JSON.stringify({ version: 1, lastUsedProvider: provider, modes: {}, providers: { [provider]: entry } });
}

function mcpSettings({ mcpServers }: AgentSession): string {
  const servers = Object.entries(mcpServers).map(([name, server]) => [name, mcpServer(server)]);
  return JSON.stringify({ mcpServers: Object.fromEntries(servers) });
}

function mcpServer(server: AgentMcpServer): object {
  return 'url' in server ? { type: 'streamableHttp', ...server } : { type: 'stdio', ...server };
}
