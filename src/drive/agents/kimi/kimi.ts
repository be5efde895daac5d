import { dirname } from 'node:path';
import { stringify } from 'smol-toml';
import type { AgentSession } from '../agent.ts';
import { forgettingFiles } from '../forgetting-files.ts';
import { writeHomeFile } from '../home-files.ts';
import { openaiBaseUrl, openaiKey, openaiUrl } from '../openai-server.ts';
import { defineStreamAgent } from '../stream-agent.ts';
import { kimiSession } from './kimi-session.ts';
import { openKimiStream } from './kimi-stream.ts';

const moonshotKeys = ['KIMI_API_KEY', 'MOONSHOT_API_KEY'];

const configFile = '.kimi-code/config.toml';

const kimiCode = defineStreamAgent({
  name: 'kimi',
  summary: 'Kimi Code of Moonshot, run with -p',
  program: 'kimi',
  versionArguments: ['--version'],
  oldestVersion: '2.0.0',
  install: 'npm install -g @moonshot-ai/kimi-code',
  inheritedVariables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', ...moonshotKeys],
  keyVariables: ['OPENAI_API_KEY', ...moonshotKeys],
  reports: { work: 'live', usage: 'live' },

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

/** Kimi Code of Moonshot. It reads its key from its config file only, so that file is removed after its end. */
export const kimi = forgettingFiles(kimiCode, configFile);

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
