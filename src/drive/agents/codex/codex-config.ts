import { stringify } from 'smol-toml';
import type { AgentMcpServer, AgentSession } from '../agent.ts';

const openaiUrl = 'https://api.openai.com/v1';

/** The config file of Codex: the provider is spelt out, so that its key comes from the environment without a login. */
export function codexConfig({ settings, env, model, mcpServers }: AgentSession): string {
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

function mcpServer(server: AgentMcpServer): object {
  return 'url' in server ? { url: server.url, http_headers: server.headers } : server;
}
